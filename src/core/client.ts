import type { Clock, Random } from '../spi/clock.ts';
import { ClosedError, EngineError, type ErrorSubject } from '../spi/errors.ts';
import { type MaybeAsync, isPending } from '../spi/maybe-async.ts';
import type { AcquireTerms } from './acquire/acquire-terms.ts';
import { HolderNames } from './announcing/holder-names.ts';
import { TimerQueue } from './time/timer-queue.ts';
import { Sleeper } from './async/sleeper.ts';
import { Events } from './events.ts';
import { Gates } from './queues/gates.ts';
import { NoAnswerError } from './async/in-time.ts';
import { LeaseKeeper } from './grants/lease-keeper.ts';
import { SelfWaits } from './acquire/self-waits.ts';
import { UnsettledRequests } from './failures/unsettled-requests.ts';
import { OwnerIds } from './reentry/owner.ts';
import { isError } from '../spi/is-error.ts';
import { noteOpenClient } from './open-clients.ts';

export interface ClientOptions {
  readonly label: string;
  readonly clock: Clock;
  readonly random: Random;
  /** The lease of holds that are renewed, and how long a place in line is kept. */
  readonly renewalLeaseMs: number;
  /** Renewal of a forgotten hold ends after this time. */
  readonly maxHoldMs: number;
}

/** What a call on a closed engine object, or one that was still waiting then, is rejected with. */
export function closedError(subject: ErrorSubject): ClosedError {
  return new ClosedError(
    `${subject.resource} can no longer be used: its engine object (${subject.engine}) was closed. Open a new one.`,
    subject,
  );
}

/** What an error says about the store, and nothing about the caller that it was explained for. */
function withoutSubject(error: unknown): unknown {
  if (!(error instanceof EngineError)) return error;
  if (isError(error.cause)) return withoutSubject(error.cause);
  const subject = `${error.resource}: `;
  return error.message.startsWith(subject) ? new Error(error.message.slice(subject.length)) : error;
}

/** One engine object: the identity, time and background work that its synchronizers share. */
export class Client {
  readonly label: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly renewalLeaseMs: number;
  readonly timers: TimerQueue;
  readonly events = new Events();
  readonly ids: OwnerIds;
  readonly keeper: LeaseKeeper;
  readonly gates = new Gates();
  readonly unsettled = new UnsettledRequests();
  /** Who holds: what this client announces, and what others have announced. */
  readonly names: HolderNames;
  readonly selfWaits: SelfWaits;
  /** No hold is believed in after this: the store may have ended this client's session. */
  sessionDeadline = Infinity;
  /** Why the store was last out of reach, as the engine reports it; undefined once the store has answered again. */
  #storeFailure: unknown;
  /** Called when the client closes. */
  readonly whenClosed = new Set<() => void>();
  readonly #sleepers = new Set<Sleeper>();
  readonly #background = new Set<Promise<unknown>>();
  /** Calls that a caller awaits, and what to call when the last of them ends. */
  #calls = 0;
  #quiet: (() => void) | undefined;
  readonly #withoutLimit: AcquireTerms;
  readonly #oneAttempt: AcquireTerms;
  #closed = false;

  constructor(options: ClientOptions) {
    this.label = options.label;
    this.clock = options.clock;
    this.random = options.random;
    this.renewalLeaseMs = options.renewalLeaseMs;
    this.timers = new TimerQueue(options.clock);
    this.ids = new OwnerIds(options.random);
    this.keeper = new LeaseKeeper(this, options.maxHoldMs);
    this.names = new HolderNames(this);
    this.selfWaits = new SelfWaits(this);
    const usual = {
      until: Infinity,
      timeoutMs: Infinity,
      signal: undefined,
      leaseMs: options.renewalLeaseMs,
      renewed: true,
    };
    this.#withoutLimit = { ...usual, once: false };
    noteOpenClient(this);
    this.#oneAttempt = { ...usual, once: true };
  }

  /** The terms of an acquisition without options: always the same two, so that they need not be made each time. */
  usualTerms(single: boolean): AcquireTerms {
    return single ? this.#oneAttempt : this.#withoutLimit;
  }

  get closed(): boolean {
    return this.#closed;
  }

  get storeFailure(): unknown {
    return this.#storeFailure;
  }

  /**
   * The store was not reached. That no answer came in time says less than what broke before, for example a refused connection.
   * The caller of any lock may be told the reason, so the client keeps it without the lock of the caller that found out.
   */
  noteStoreFailure(error: unknown): void {
    const reason = withoutSubject(error);
    if (this.#storeFailure === undefined || !(reason instanceof NoAnswerError)) this.#storeFailure = reason;
  }

  noteStoreAnswer(): void {
    this.#storeFailure = undefined;
  }

  throwIfClosed(subject: ErrorSubject): void {
    if (this.#closed) throw closedError(subject);
  }

  /**
   * A sleeper that also rings when the client closes. Give it back with `releaseSleeper`.
   *
   * A wait may begin after that: the client closed while the first attempt was on its way, and the answer was "busy". Its
   * sleeper has rung from the start. Otherwise the wait sleeps until its next look, a third of a lease later, and `close` waits
   * for the wait.
   */
  makeSleeper(): Sleeper {
    const sleeper = new Sleeper(this.timers);
    if (this.#closed) sleeper.wake();
    this.#sleepers.add(sleeper);
    return sleeper;
  }

  releaseSleeper(sleeper: Sleeper): void {
    this.#sleepers.delete(sleeper);
    this.timers.drop(sleeper);
  }

  /** Sleeps, but not longer than the client is open. */
  async sleep(ms: number): Promise<void> {
    if (this.#closed) return;
    const sleeper = this.makeSleeper();
    await sleeper.sleep(this.clock.now() + ms);
    this.releaseSleeper(sleeper);
  }

  /** Work that no caller awaits: never an unhandled rejection, and `close` waits for it. It reports its own trouble. */
  background(work: MaybeAsync<unknown>): void {
    if (!isPending(work)) return;
    const forget = (): void => void this.#background.delete(settled);
    const settled: Promise<void> = work.then(forget, forget);
    this.#background.add(settled);
  }

  /**
   * A call is on its way that `close` has to wait for: what it brings must be given back. For calls that a caller
   * awaits anyway: to count them costs less than to keep their promises.
   */
  beginCall(): void {
    this.#calls++;
  }

  endCall(): void {
    if (--this.#calls === 0) this.#quiet?.();
  }

  /** Rejects waiters, releases what is held, stops all timers. Safe to call twice. */
  async close(): Promise<void> {
    this.#closed = true;
    this.gates.close();
    for (const sleeper of this.#sleepers) sleeper.wake();
    // Before the holds are released: what stays after them keeps its name.
    const retracted = this.names.end();
    await this.keeper.close();
    await retracted;
    while (this.#background.size > 0 || this.#calls > 0) {
      await Promise.all([...this.#background, this.#awaitCalls()]);
    }
    for (const call of this.whenClosed) call();
    this.timers.clear();
    this.events.clear();
  }

  async #awaitCalls(): Promise<void> {
    if (this.#calls === 0) return;
    await new Promise<void>((resolve) => {
      this.#quiet = resolve;
    });
  }
}
