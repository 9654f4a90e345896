import type { ErrorSubject } from '../../spi/errors.ts';
import { isPending, type MaybeAsync, type Pending } from '../../spi/maybe-async.ts';
import type { Owing } from '../../spi/verbs/holding.ts';
import { onAbort } from '../async/aborts.ts';
import type { Sleeper } from '../async/sleeper.ts';
import type { Client } from '../client.ts';
import { Contact } from './contact.ts';
import type { Followed } from './followed.ts';
import { provesAnswer } from '../failures/proves-answer.ts';
import { StepUnderWay } from './step-under-way.ts';
import { StoreFullError } from '../failures/store-full-error.ts';
import type { Attempt } from './wait.ts';
import { throwIfOver, type WaitLimit } from './wait-limit.ts';

/** A timer that is later than this was not kept waiting by other timers: the process has stood still. */
const STOOD_STILL_MS = 100;
/** Long enough for the loop to read what has come. */
const ONE_TURN_MS = 1;

/** How soon a full store is asked again: it sends no message when it has room. */
const FULL_AGAIN_MS = 1000;

/** Awaits a step until the limit of its caller. Without a contact it is a step of this process, not the store's. */
export async function awaitStep<R>(
  client: Client,
  subject: ErrorSubject,
  waitLimit: WaitLimit,
  step: Pending<R>,
  contact?: Contact,
): Promise<R> {
  const wait = new StepAwaiter(client, subject, waitLimit, contact);
  try {
    return await wait.outcomeOf(step, true);
  } finally {
    wait.end();
  }
}

/**
 * The same for an acquisition of the same owner that is under way. Whether the time ends in contention or in an outage is what
 * that one sees: the waiter has asked nothing. Answers the contact by which the caller is to look whether its time is over, in
 * the step in which it goes on: an abort or a closing between a look of ours and that step would be missed.
 */
export async function awaitFollowed(
  client: Client,
  subject: ErrorSubject,
  waitLimit: WaitLimit,
  followed: Followed,
): Promise<Contact> {
  const judge = new Contact(true);
  judge.standBehind(followed);
  const wait = new StepAwaiter(client, subject, waitLimit, undefined, judge);
  try {
    await wait.outcomeOf(followed.settled, true);
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

/** Awaits the steps of one wait, one after the other, until the limit of the wait. */
export class StepAwaiter {
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
    this.#sleeper = client.makeSleeper();
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
   * A store that is full grants nothing, but it stands and will have room again: an owner that waits goes on waiting. To reject
   * every waiter of a fleet when it next asks, with hours of patience left, is what makes of a full store an outage. A
   * newcomer hears of it at once.
   */
  outWhileFull({ isWaiting }: { readonly isWaiting?: boolean }, error: unknown): Attempt<never> {
    if (!(error instanceof StoreFullError) || isWaiting !== true) throw error;
    this.#contact?.noteFullStore(error);
    return { kind: 'out', againInMs: FULL_AGAIN_MS };
  }

  /** The outcome of a step that may be on the wire. Giving up does not wait for it: that is what withdrawing is for. */
  async outcomeOf<R>(step: MaybeAsync<R>, isAttempt: boolean): Promise<R> {
    if (!isPending(step)) {
      this.#noteAnswer(step, isAttempt);
      return step;
    }
    const underWay = this.begin(step, isAttempt);
    await this.settles(underWay);
    return this.take(underWay);
  }

  /** A step goes out whose outcome is awaited later, or beside other steps. */
  begin<R>(step: Pending<R>, isAttempt: boolean): StepUnderWay<R> {
    this.#contact?.noteRequest(this.#client.clock.now(), isAttempt);
    return new StepUnderWay(step, isAttempt, this.#sleeper.wake);
  }

  /** Whether a step has an outcome, awaited for so long. */
  async settles(underWay: StepUnderWay<unknown>, ms = Infinity): Promise<boolean> {
    const at = ms === Infinity ? Infinity : this.#client.clock.now() + ms;
    while (underWay.outcome === undefined) {
      await this.#sleeper.sleep(Math.min(at, this.#waitLimit.until));
      if (underWay.outcome !== undefined) break;
      if (this.#stoodStill()) await this.#sleeper.sleep(this.#client.clock.now() + ONE_TURN_MS);
      if (underWay.outcome !== undefined) break;
      this.#giveUpIfOver(underWay.step);
      if (at !== Infinity && this.#client.clock.now() >= at) return false;
    }
    return true;
  }

  /** What a settled step has brought. */
  take<R>({ outcome, isAttempt }: StepUnderWay<R>): R {
    if ('error' in outcome!) {
      // A wait that goes on, because the store is full, ends for what the store has answered.
      if (provesAnswer(outcome.error)) this.#contact?.noteAnswer(isAttempt);
      throw outcome.error;
    }
    this.#noteAnswer(outcome!.value, isAttempt);
    return outcome!.value;
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

  #noteAnswer(answer: unknown, isAttempt: boolean): void {
    if (this.#contact === undefined) return;
    const head = isAttempt ? headOf(answer) : undefined;
    if (head === undefined) this.#contact.noteAnswer(isAttempt);
    else this.#contact.standBehind(head);
  }

  end(): void {
    this.#unlisten?.();
    this.#client.releaseSleeper(this.#sleeper);
  }
}
