import { AcquireTimeoutError, type ErrorSubject } from '../../spi/errors.ts';
import { type MaybeAsync, isPending, type Pending } from '../../spi/maybe-async.ts';
import type { Unwatch } from '../../spi/engine/protocol.ts';
import type { Owing } from '../../spi/verbs/holding.ts';
import { onAbort } from '../async/aborts.ts';
import type { Sleeper } from '../async/sleeper.ts';
import { type Client, closedError } from '../client.ts';
import { Contact } from './contact.ts';
import type { Followed } from './followed.ts';
import { provesAnswer } from './proves-answer.ts';
import { SilentStoreError, silentStoreError } from './silent-store.ts';
import { mayHaveLeftSomething, StoreFullError } from './store-full-error.ts';

/** A timer that is later than this was not kept waiting by other timers: the process has stood still. */
const STOOD_STILL_MS = 100;
/** Long enough for the loop to read what has come. */
const ONE_TURN_MS = 1;

/** How one attempt went: let in, or not before `againInMs` unless something happens. */
export type Attempt<T> =
  | { readonly kind: 'in'; readonly value: T }
  | { readonly kind: 'out'; readonly againInMs: number; readonly behind?: Owing | undefined };

/** Somebody's turn at a synchronizer: how to try, how to hear, how to go away without a trace. */
export interface Turn<T> {
  readonly subject: ErrorSubject;
  attempt(): MaybeAsync<Attempt<T>>;
  watch(heard: () => void): MaybeAsync<Unwatch>;
  /** Whether the store has answered that this owner must wait: before, the owner is a newcomer. */
  readonly isWaiting?: boolean;
  /** After giving up: leaves the queue and gives back what an attempt still under way may bring. */
  withdraw(why: unknown): MaybeAsync<unknown>;
}

/** When to stop waiting. */
export interface WaitLimit {
  /** By the client's clock; Infinity to wait without limit. */
  readonly until: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Standing back for others before the first try: so long, unless somebody is heard to come and go before. */
export interface StandBack {
  readonly ms: number;
  /** Somebody has made use of it: was heard to have gone, or was in when it was over. */
  used: boolean;
}

/** How soon a full store is asked again; it tells nobody when it has room. */
const FULL_AGAIN_MS = 1000;

/**
 * Throws if there is a reason to stop waiting. With a contact: an outage is told from contention, and so is a store that was
 * full to the end.
 */
export function throwIfOver(
  client: Client,
  subject: ErrorSubject,
  waitLimit: WaitLimit,
  contact?: Contact,
): void {
  waitLimit.signal?.throwIfAborted();
  if (client.closed) throw closedError(subject);
  const now = client.clock.now();
  const { until, timeoutMs } = waitLimit;
  if (now < until) return;
  if (contact?.isSilent(now, timeoutMs) === true) throw silentStoreError(client, subject, timeoutMs);
  throw contact?.fullStore() ?? timeoutError(subject, timeoutMs);
}

export function timeoutError(subject: ErrorSubject, timeoutMs: number): AcquireTimeoutError {
  return new AcquireTimeoutError(
    `${subject.resource} was not acquired within ${timeoutMs} ms. Nothing is held; try again, or wait longer.`,
    subject,
  );
}

/** Whether a wait ended because its time was over, whatever the store did meanwhile. */
export function isOutOfTime(error: unknown): boolean {
  return (
    error instanceof AcquireTimeoutError ||
    error instanceof StoreFullError ||
    error instanceof SilentStoreError
  );
}

/**
 * The only wait loop there is: watch, try, sleep until something is heard or could have changed by itself.
 *
 * Watching comes before trying. The other order loses the wake-up of a release that happens between a refused try and
 * the watch, and the waiter sleeps on beside a free lock. The same race has a second door: a wake-up that arrives while
 * a try is under way, decided before the release but answered after it. `heard` therefore outlives the try.
 */
export function waitFor<T>(
  client: Client,
  turn: Turn<T>,
  waitLimit: WaitLimit,
  standBack?: StandBack,
  contact = new Contact(false),
): Promise<T> {
  const waiting = watchAndTry(client, turn, waitLimit, standBack, contact);
  // Closing waits for it, and so for the withdrawal that it ends with.
  client.background(waiting);
  return waiting;
}

async function watchAndTry<T>(
  client: Client,
  turn: Turn<T>,
  waitLimit: WaitLimit,
  standBack: StandBack | undefined,
  contact: Contact,
): Promise<T> {
  const wait = new Wait(client, turn.subject, waitLimit, contact);
  let watching: MaybeAsync<Unwatch> | undefined;
  try {
    // It may have aborted while the caller was on its way here: nothing would ring any more.
    waitLimit.signal?.throwIfAborted();
    watching = turn.watch(wait.hear);
    await wait.settled(watching, false);
    if (standBack !== undefined) {
      await wait.sleep(standBack.ms);
      standBack.used = wait.heard;
      throwIfOver(client, turn.subject, waitLimit, contact);
    }
    for (;;) {
      wait.heard = false;
      let attempt: Attempt<T>;
      try {
        attempt = await wait.settled(turn.attempt(), true);
      } catch (error) {
        attempt = wait.outWhileFull(turn, error);
      }
      if (attempt.kind === 'in') return attempt.value;
      if (standBack !== undefined) standBack.used = true;
      if (!wait.heard) await wait.sleep(attempt.againInMs);
      throwIfOver(client, turn.subject, waitLimit, contact);
    }
  } catch (error) {
    // An attempt may still be under way, or have been granted without our knowing: settled by a write, never by a read.
    if (turn.isWaiting === true || mayHaveLeftSomething(error)) client.background(turn.withdraw(error));
    throw error;
  } finally {
    // Also if it was given up while the watch was only being begun: nobody else would ever end it.
    if (isPending(watching)) client.background(watching.then((unwatch) => unwatch()));
    else watching?.();
    wait.end();
  }
}

/** The outcome of a step, for as long as there is patience. Without a contact it is a step of this process, not the store's. */
export async function settledInPatience<R>(
  client: Client,
  subject: ErrorSubject,
  waitLimit: WaitLimit,
  step: Pending<R>,
  contact?: Contact,
): Promise<R> {
  const wait = new Wait(client, subject, waitLimit, contact);
  try {
    return await wait.settled(step, true);
  } finally {
    wait.end();
  }
}

/**
 * The same for an acquisition of the same owner that is under way. Whether the time ends in contention or in an outage is what
 * that one sees: the waiter has asked nothing. Answers the contact by which the caller is to look whether its time is over, in
 * the step in which it goes on: an abort or a closing between a look of ours and that step would be missed.
 */
export async function settledBehind(
  client: Client,
  subject: ErrorSubject,
  waitLimit: WaitLimit,
  followed: Followed,
): Promise<Contact> {
  const judge = new Contact(true);
  judge.standsBehind(followed);
  const wait = new Wait(client, subject, waitLimit, undefined, judge);
  try {
    await wait.settled(followed.settled, true);
    return judge;
  } finally {
    wait.end();
  }
}

/** The request of another that an attempt was refused for, without the store being asked. */
function headOf(answer: unknown): Owing | undefined {
  const known = typeof answer === 'object' && answer !== null && 'behind' in answer;
  return known ? (answer.behind as Owing | undefined) : undefined;
}

class Wait {
  heard = false;
  readonly #client: Client;
  readonly #subject: ErrorSubject;
  readonly #waitLimit: WaitLimit;
  /** What each step of this wait tells whether the store answers. */
  readonly #contact: Contact | undefined;
  /** What tells at the end whether the store was silent. */
  readonly #judge: Contact | undefined;
  readonly #sleeper: Sleeper;
  readonly #unlisten: (() => void) | undefined;

  constructor(
    client: Client,
    subject: ErrorSubject,
    waitLimit: WaitLimit,
    contact: Contact | undefined,
    judge = contact,
  ) {
    this.#client = client;
    this.#subject = subject;
    this.#waitLimit = waitLimit;
    this.#contact = contact;
    this.#judge = judge;
    this.#sleeper = client.sleeper();
    this.#unlisten = waitLimit.signal && onAbort(waitLimit.signal, this.#sleeper.wake);
  }

  readonly hear = (): void => {
    this.heard = true;
    this.#sleeper.wake();
  };

  async sleep(ms: number): Promise<void> {
    await this.#sleeper.sleep(Math.min(this.#client.clock.now() + ms, this.#waitLimit.until));
  }

  /**
   * A store that is full takes nobody in, but it stands and will have room again: whoever waits goes on waiting. To reject
   * every waiter of a fleet when it next asks, with hours of patience left, is what makes of a full store an outage. A
   * newcomer is told at once.
   */
  outWhileFull({ isWaiting }: { readonly isWaiting?: boolean }, error: unknown): Attempt<never> {
    if (!(error instanceof StoreFullError) || isWaiting !== true) throw error;
    this.#contact?.refusedForRoom(error);
    return { kind: 'out', againInMs: FULL_AGAIN_MS };
  }

  /** The outcome of a step that may be on the wire. Giving up does not wait for it: that is what withdrawing is for. */
  async settled<R>(step: MaybeAsync<R>, isAttempt: boolean): Promise<R> {
    if (!isPending(step)) {
      this.#answered(step, isAttempt);
      return step;
    }
    this.#contact?.asked(this.#client.clock.now(), isAttempt);
    let outcome: { readonly value: R } | { readonly error: unknown } | undefined;
    step.then(
      (value) => {
        outcome = { value };
        this.#sleeper.wake();
      },
      (error: unknown) => {
        outcome = { error };
        this.#sleeper.wake();
      },
    );
    while (outcome === undefined) {
      await this.#sleeper.sleep(this.#waitLimit.until);
      if (outcome === undefined && this.#stoodStill())
        await this.#sleeper.sleep(this.#client.clock.now() + ONE_TURN_MS);
      if (outcome === undefined) this.#giveUpIfOver(step);
    }
    if ('error' in outcome) {
      // A wait that goes on, because the store is full, ends for what the store has answered.
      if (provesAnswer(outcome.error)) this.#contact?.answered(isAttempt);
      throw outcome.error;
    }
    this.#answered(outcome.value, isAttempt);
    return outcome.value;
  }

  /** Timers run before the answers are read that came while the process stood still: the store may not be silent at all. */
  #stoodStill(): boolean {
    return this.#client.clock.now() - this.#waitLimit.until > STOOD_STILL_MS;
  }

  #giveUpIfOver(step: Pending<unknown>): void {
    try {
      throwIfOver(this.#client, this.#subject, this.#waitLimit, this.#judge);
    } catch (error) {
      // Closing waits for it: no request is under way, and no timer of one is left, when the client is closed.
      this.#client.background(step);
      throw error;
    }
  }

  #answered(answer: unknown, isAttempt: boolean): void {
    if (this.#contact === undefined) return;
    const head = isAttempt ? headOf(answer) : undefined;
    if (head === undefined) this.#contact.answered(isAttempt);
    else this.#contact.standsBehind(head);
  }

  end(): void {
    this.#unlisten?.();
    this.#client.releaseSleeper(this.#sleeper);
  }
}
