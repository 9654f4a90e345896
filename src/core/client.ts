import type { Clock, Random } from '../spi/clock.ts';
import { ClosedError, type ErrorSubject } from '../spi/errors.ts';
import { type Eventually, isLater } from '../spi/eventually.ts';
import type { Terms } from './terms.ts';
import { Agenda } from './agenda.ts';
import { Bell } from './bell.ts';
import { Events } from './events.ts';
import { Gates } from './gates.ts';
import { NoAnswerError } from './in-time.ts';
import { Keeper } from './keeper.ts';
import { OwnerIds } from './owner.ts';

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

/** One engine object: the identity, time and background work that its synchronizers share. */
export class Client {
  readonly label: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly renewalLeaseMs: number;
  readonly agenda: Agenda;
  readonly events = new Events();
  readonly ids: OwnerIds;
  readonly keeper: Keeper;
  readonly gates = new Gates();
  /** No hold is believed in after this: the store may have ended this client's session. */
  sessionDeadline = Infinity;
  /** Why the store was last out of reach, as the engine reports it; undefined once the store has answered again. */
  #storeFailure: unknown;
  /** Called when the client closes. */
  readonly whenClosed = new Set<() => void>();
  readonly #sleepers = new Set<Bell>();
  readonly #background = new Set<Promise<unknown>>();
  /** Calls that somebody awaits, and the one who waits for the last of them. */
  #calls = 0;
  #quiet: (() => void) | undefined;
  readonly #withoutLimit: Terms;
  readonly #oneAttempt: Terms;
  #closed = false;

  constructor(options: ClientOptions) {
    this.label = options.label;
    this.clock = options.clock;
    this.random = options.random;
    this.renewalLeaseMs = options.renewalLeaseMs;
    this.agenda = new Agenda(options.clock);
    this.ids = new OwnerIds(options.random);
    this.keeper = new Keeper(this, options.maxHoldMs);
    const usual = {
      until: Infinity,
      timeoutMs: Infinity,
      signal: undefined,
      leaseMs: options.renewalLeaseMs,
      renewed: true,
    };
    this.#withoutLimit = { ...usual, once: false };
    this.#oneAttempt = { ...usual, once: true };
  }

  /** The terms of an acquisition without options: always the same two, so that they need not be made each time. */
  usualTerms(single: boolean): Terms {
    return single ? this.#oneAttempt : this.#withoutLimit;
  }

  get closed(): boolean {
    return this.#closed;
  }

  get storeFailure(): unknown {
    return this.#storeFailure;
  }

  /** The store was not reached. That no answer came in time says less than what broke before, for example a refused connection. */
  storeFailed(error: unknown): void {
    if (this.#storeFailure === undefined || !(error instanceof NoAnswerError)) this.#storeFailure = error;
  }

  storeAnswered(): void {
    this.#storeFailure = undefined;
  }

  throwIfClosed(subject: ErrorSubject): void {
    if (this.#closed) throw closedError(subject);
  }

  /**
   * A bell that also rings when the client closes. Give it back with `dismiss`.
   *
   * A wait may begin after that: the client closed while the first attempt was on its way, and the answer was "busy". Its
   * bell has rung from the start. Otherwise the wait sleeps until its next look, a third of a lease later, and `close` waits
   * for the wait.
   */
  bell(): Bell {
    const bell = new Bell(this.agenda);
    if (this.#closed) bell.ring();
    this.#sleepers.add(bell);
    return bell;
  }

  dismiss(bell: Bell): void {
    this.#sleepers.delete(bell);
    this.agenda.drop(bell);
  }

  /** Sleeps, but not longer than the client is open. */
  async sleep(ms: number): Promise<void> {
    if (this.#closed) return;
    const bell = this.bell();
    await bell.sleep(this.clock.now() + ms);
    this.dismiss(bell);
  }

  /** Work that nobody awaits: never an unhandled rejection, and `close` waits for it. It reports its own trouble. */
  background(work: Eventually<unknown>): void {
    if (!isLater(work)) return;
    const done = (): void => void this.#background.delete(settled);
    const settled: Promise<void> = work.then(done, done);
    this.#background.add(settled);
  }

  /**
   * A call is on its way that `close` has to wait for: what it brings must be given back. For calls that somebody awaits
   * anyway: to count them costs less than to keep their promises.
   */
  callBegins(): void {
    this.#calls++;
  }

  callEnds(): void {
    if (--this.#calls === 0) this.#quiet?.();
  }

  /** Rejects those who wait, gives back what is held, stops all timers. Safe to call twice. */
  async close(): Promise<void> {
    this.#closed = true;
    this.gates.close();
    for (const bell of this.#sleepers) bell.ring();
    await this.keeper.close();
    while (this.#background.size > 0 || this.#calls > 0) {
      await Promise.all([...this.#background, this.#callsEnded()]);
    }
    for (const call of this.whenClosed) call();
    this.agenda.clear();
    this.events.clear();
  }

  async #callsEnded(): Promise<void> {
    if (this.#calls === 0) return;
    await new Promise<void>((resolve) => {
      this.#quiet = resolve;
    });
  }
}
