import { EngineTimes } from '../../../kernels/requests/engine-times.ts';
import type { EngineTime } from '../../../kernels/requests/engine-time.ts';
import { RequestTimeouts } from '../../../kernels/requests/request-timeouts.ts';
import { explainedFor, SharedFailure } from '../../../kernels/requests/shared-failure.ts';
import { inTime, NoAnswerError } from '../../../core/async/in-time.ts';
import { type Client, closedError } from '../../../core/client.ts';
import type { ErrorSubject } from '../../../spi/errors.ts';
import type { MaybeAsync, Pending } from '../../../spi/maybe-async.ts';
import type { About, Answered, ScriptRequest, Reading, TimedCall } from './call.ts';
import { type Confirming, sentConfirmed } from './confirming.ts';
import type { RedisDriver, Reply } from '../driver.ts';
import { answerOf, type ScriptCall, withSource } from './script.ts';
import { serverTime } from '../scripts.generated.ts';
import {
  finalAnswer,
  isFinal,
  isNotReady,
  isUnknownScript,
  notConfirmed,
  notReady,
  tooLate,
  unanswered,
} from './server-errors.ts';

export interface CallsOptions {
  readonly client: Client;
  readonly driver: RedisDriver;
  readonly commandTimeoutMs: number;
  /** Commands that replicas must confirm go over connections of their own: the wait holds up whatever comes behind. */
  readonly confirming: Confirming | undefined;
  /** Called with the first call that is sent. Must not throw, and is not waited for. */
  readonly firstUsed?: () => void;
}

/**
 * What a copy may do when it comes late: nothing at all, nothing once its limit is past, or what it was sent for, whenever
 * that is.
 */
type Effect = 'reads' | 'limited' | 'lasting';

function noConnection(): Error {
  return new Error('the Redis client has no connection');
}

const asItIs: Reading<Answered> = (answered) => answered;

const NOT_SENT: Answered = { reply: ['withdrawn'], copies: 0, confirmed: 0 };

/** Changes are refused by the server, and no longer repeated by us, after twice the time-out of a command. */
const TRIES = 2;
/**
 * Limits are whole multiples of so much of the time-out, so that calls right behind each other name the same one. With a
 * new number in each of them client and server would make a string of it each time. They are rounded down: a copy that
 * dies sooner needs no longer mark.
 */
const LIMITS_IN_A_TIMEOUT = 16;
/** How much longer than a copy can come a mark is kept: two looks at the server's clock may differ. */
const KEPT_LONGER_MS = 1000;

/**
 * Sends scripts and brings their answers back, the same way over every client: a time-out of our own, the script's text
 * when the server does not know it, again when the server was not ready or did not answer. What is sent again is the
 * same request: every script is written so that a second copy does nothing new.
 */
export class Calls {
  readonly driver: RedisDriver;
  readonly #client: Client;
  readonly #commandTimeoutMs: number;
  readonly #limitStepMs: number;
  readonly #confirming: CallsOptions['confirming'];
  readonly #deadlines: RequestTimeouts;
  #firstUsed: (() => void) | undefined;
  /** Each server has a clock of its own. */
  readonly #times: EngineTimes;
  readonly #learning = new Map<string, Promise<void>>();
  /** A client may send again by itself what was under way when its connection broke, and tells nobody: ioredis does. */
  #reconnects = 0;
  readonly #forget: () => void;
  readonly #stopHearing: () => void;

  constructor({ client, driver, commandTimeoutMs, confirming, firstUsed }: CallsOptions) {
    this.driver = driver;
    this.#client = client;
    this.#commandTimeoutMs = commandTimeoutMs;
    this.#limitStepMs = Math.max(1, Math.floor(commandTimeoutMs / LIMITS_IN_A_TIMEOUT));
    this.#confirming = confirming;
    this.#firstUsed = firstUsed;
    this.#deadlines = new RequestTimeouts(client.clock, commandTimeoutMs);
    this.#times = new EngineTimes(client.clock);
    this.#forget = driver.onReconnect(() => {
      this.#times.forgetAll();
      this.#reconnects++;
    });
    this.#stopHearing = driver.onError((error) => client.storeFailed(error));
  }

  /** How long the mark of a request is kept. */
  get markMs(): number {
    return TRIES * this.#commandTimeoutMs + KEPT_LONGER_MS;
  }

  /** Calls a script that may be carried out at any time, however late. */
  async run(call: ScriptRequest): Promise<readonly Reply[]> {
    return (await this.answered(call, asItIs)).reply;
  }

  /** The same, telling how many copies were sent. */
  answered<T>(call: ScriptRequest, read: Reading<T>): Pending<T> {
    return this.#settled(call, call, false, read, this.#client.clock.now());
  }

  /** A grant or renewal: if replicas have to confirm, how many did. */
  confirmed(call: ScriptRequest): Pending<Answered> {
    return this.#settled(call, call, this.#confirming !== undefined, asItIs, this.#client.clock.now());
  }

  /** Whether replicas have to confirm what is granted. */
  get areConfirmed(): boolean {
    return this.#confirming !== undefined;
  }

  /** Whether so many replicas are enough. */
  isConfirmed(answered: Answered): boolean {
    return this.#confirming === undefined || answered.confirmed >= this.#confirming.replicas.atLeast;
  }

  notConfirmed(answered: Answered, kind: string, name: string): Error {
    return notConfirmed(
      answered.confirmed,
      this.#confirming?.replicas.atLeast ?? 0,
      this.subject(kind, name),
    );
  }

  /**
   * Calls a script that must not be carried out late. If the only copy came too late by the server's clock it certainly
   * did nothing: our idea of that clock was wrong, and it is sent once more by the right one.
   */
  timed(call: TimedCall): Pending<Answered>;
  timed<T>(call: TimedCall, read: Reading<T>): Pending<T>;
  timed<T>(call: TimedCall, read: Reading<T | Answered> = asItIs): Pending<T | Answered> {
    return this.#timed(call, read, true);
  }

  /** Deletes a key that nobody can need any more. Nobody waits for it: what is not deleted goes by itself. */
  forget(key: string): void {
    this.driver.send(key, ['DEL', key]).catch(() => undefined);
  }

  /** How long a mark must stay so that no copy with this limit can get past it. */
  outlastsMs(key: string, notAfterMs: number): number {
    const now = this.#timeOf(key).atLeast();
    const left = now === -Infinity ? TRIES * this.#commandTimeoutMs : notAfterMs - now;
    return Math.ceil(Math.max(0, left)) + KEPT_LONGER_MS;
  }

  close(): void {
    this.#forget();
    this.#stopHearing();
    this.#deadlines.close();
  }

  /** What an error says it is about. */
  subject(kind: string, name: string): ErrorSubject {
    return { resource: `${kind} ${JSON.stringify(name)}`, engine: this.#client.label };
  }

  /**
   * Many may want to know it at once, after a while of silence or a reconnect: one of them asks. What they share tells no
   * caller's name; each has a failure explained for its own.
   */
  #learnTime({ kind, name, key }: About): Promise<void> {
    const node = this.driver.nodeOf(key);
    const learning =
      this.#learning.get(node) ?? this.#askTime(key).finally(() => this.#learning.delete(node));
    this.#learning.set(node, learning);
    return learning.catch((error: unknown) => {
      throw explainedFor(this.subject(kind, name), error);
    });
  }

  async #askTime(key: string): Promise<void> {
    const askedAt = this.#client.clock.now();
    const { reply } = await this.#outcome(key, serverTime({ key }), 'reads', asItIs, askedAt);
    this.#timeOf(key).heard(Number(reply[0]), askedAt);
  }

  #timeOf(key: string): EngineTime {
    return this.#times.of(this.driver.nodeOf(key));
  }

  #timed<T>(call: TimedCall, read: Reading<T>, mayRepeat: boolean): Pending<T> {
    const now = this.#client.clock.now();
    const time = this.#timeOf(call.key);
    if (time.slackMs(now) <= this.#commandTimeoutMs / 10) {
      return this.#limited(call, read, mayRepeat, now, time.atLeast(now));
    }
    return this.#learnTime(call).then(() => {
      // Forgotten in a reconnect since it was learnt: refused as late, and sent again by the right time.
      const engineNow = Math.max(0, this.#timeOf(call.key).atLeast());
      return this.#limited(call, read, mayRepeat, this.#client.clock.now(), engineNow);
    });
  }

  #limited<T>(
    call: TimedCall,
    read: Reading<T>,
    mayRepeat: boolean,
    now: number,
    engineNow: number,
  ): Pending<T> {
    const limitMs = engineNow + TRIES * this.#commandTimeoutMs;
    const prepared = call.prepare(Math.floor(limitMs / this.#limitStepMs) * this.#limitStepMs);
    if (prepared === undefined) return Promise.resolve(NOT_SENT).then(read);
    const confirm = this.#confirming !== undefined;
    const readInTime = (answered: Answered): MaybeAsync<T> => {
      this.#timeOf(call.key).heard(Number(answered.reply[1]), now);
      return answered.reply[0] === 'late' ? this.#wasLate(call, read, mayRepeat, answered) : read(answered);
    };
    return this.#settled(call, prepared, confirm, readInTime, now, 'limited');
  }

  #wasLate<T>(call: TimedCall, read: Reading<T>, mayRepeat: boolean, { copies }: Answered): Pending<T> {
    this.#times.forget(this.driver.nodeOf(call.key));
    if (copies > 1 || !mayRepeat) throw tooLate(this.subject(call.kind, call.name));
    return this.#timed(call, read, false);
  }

  #settled<T>(
    about: About,
    prepared: ScriptCall,
    confirm: boolean,
    read: Reading<T>,
    now: number,
    effect: Effect = 'lasting',
  ): Pending<T> {
    return this.#outcome(about.key, prepared, effect, read, now, confirm, about);
  }

  /**
   * Nearly every call is answered the first time, and then costs little more than the command itself. Without `about` it
   * fails with a {@link SharedFailure}.
   */
  #outcome<T>(
    key: string,
    prepared: ScriptCall,
    effect: Effect,
    read: Reading<T>,
    now: number,
    confirm = false,
    about?: About,
  ): Pending<T> {
    if (this.#firstUsed !== undefined) this.#tellFirstUse(this.#firstUsed);
    const { command } = prepared;
    const wasUp = this.#isUp(key, confirm);
    const madeBefore = this.#connectionsMade(confirm);
    const before = this.#reconnects;
    const again = (reason: unknown): Promise<T> => {
      const carriers = (wasUp ? 1 : 0) + this.#connectionsMade(confirm) - madeBefore;
      const until = now + TRIES * this.#commandTimeoutMs;
      const failed = { error: reason, carriers, madeBefore };
      return this.#again(key, prepared, confirm, failed, until, effect).then(read, (error: unknown) => {
        throw about === undefined ? error : explainedFor(this.subject(about.kind, about.name), error);
      });
    };
    if (confirm) return this.#sent(key, prepared, command, 1, true).then(read, again);
    const done = (reply: Reply): MaybeAsync<T> => {
      this.#client.storeAnswered();
      const copies = 1 + this.#reconnects - before;
      return read({ reply: answerOf(prepared, reply), copies, confirmed: 0 });
    };
    return this.#deadlines.settled(this.driver.send(key, command), now, done, again);
  }

  /**
   * Repeats a call until `until`. A copy that no connection has carried waits in the client and has done nothing, and where
   * it has a limit it never will, unless a connection comes up before the limit: then the client sends what waits, also a
   * copy that we have given up. A later copy that is refused does not prove that nothing was done. A copy without a limit
   * may still be carried out, so its outcome stays unknown.
   */
  async #again(
    key: string,
    prepared: ScriptCall,
    confirm: boolean,
    first: FailedCopy,
    until: number,
    effect: Effect,
  ): Promise<Answered> {
    const { clock } = this.#client;
    let failed = first;
    let mayHaveArrived = sentTwice(first, effect);
    let isReached = true;
    /** How many connections had been made when the oldest copy that waits in the client was sent. */
    let madeBeforeWaiting = Infinity;
    const mayBeDone = (): boolean =>
      mayHaveArrived || (effect !== 'reads' && this.#connectionsMade(confirm) > madeBeforeWaiting);
    for (let copies = 1; ; copies++) {
      if (isUnknownScript(failed.error)) {
        // The server has done nothing but say so: with its text, this is still the same copy.
        const sent = await this.#copy(key, prepared, withSource(prepared), copies, confirm);
        if ('answered' in sent) return sent.answered;
        failed = sent;
        mayHaveArrived ||= sentTwice(sent, effect);
      }
      const { error: cause, carriers } = failed;
      const { topology } = this.driver;
      if (isFinal(cause, topology)) {
        const isUnknown = mayBeDone();
        throw new SharedFailure((subject) => finalAnswer(cause, isUnknown, subject, topology));
      }
      this.#client.storeFailed(cause);
      if (this.#client.closed) throw new SharedFailure(closedError);
      if (!isNotReady(cause)) {
        isReached = false;
        mayHaveArrived ||= effect === 'lasting' || (effect === 'limited' && carriers > 0);
      }
      if (cause instanceof NoAnswerError) {
        if (carriers === 0) madeBeforeWaiting = Math.min(madeBeforeWaiting, failed.madeBefore);
        this.#suspect(key, confirm);
      }
      await this.#client.sleep(Math.min(this.#commandTimeoutMs / 50, until - clock.now()));
      const leftMs = until - clock.now();
      if (leftMs <= 0) throw this.#givenUp(isReached, mayBeDone());
      const sent = await this.#copy(key, prepared, prepared.command, copies + 1, confirm, leftMs);
      if ('answered' in sent) return sent.answered;
      failed = sent;
      mayHaveArrived ||= sentTwice(sent, effect);
    }
  }

  async #copy(
    key: string,
    prepared: ScriptCall,
    command: readonly string[],
    copies: number,
    confirm: boolean,
    leftMs?: number,
  ): Promise<{ readonly answered: Answered } | FailedCopy> {
    const wasUp = this.#isUp(key, confirm);
    const madeBefore = this.#connectionsMade(confirm);
    try {
      return { answered: await this.#sent(key, prepared, command, copies, confirm, leftMs) };
    } catch (error) {
      const carriers = (wasUp ? 1 : 0) + this.#connectionsMade(confirm) - madeBefore;
      return { error, carriers, madeBefore };
    }
  }

  #givenUp(isReached: boolean, mayHaveArrived: boolean): SharedFailure {
    const cause = this.#client.storeFailure;
    return new SharedFailure((subject) =>
      isReached ? notReady(cause, subject) : unanswered(cause, mayHaveArrived, subject),
    );
  }

  /**
   * Whether a command leaves at once. What replicas confirm goes over connections of its own: that of the client says nothing
   * about them. A client without a connection says so at most by events of its own: here is a cause for those who wait meanwhile.
   */
  #isUp(key: string, confirm: boolean): boolean {
    if (confirm && this.#confirming !== undefined) return this.#confirming.isUp(key);
    const isUp = this.driver.isUp?.(key) !== false;
    if (!isUp && this.#client.storeFailure === undefined) this.#client.storeFailed(noConnection());
    return isUp;
  }

  /** A driver that cannot tell, that of a cluster, counts at least what it tells of. */
  #connectionsMade(confirm: boolean): number {
    if (confirm && this.#confirming !== undefined) return this.#confirming.connectionsMade;
    return this.driver.connectionsMade ?? this.#reconnects;
  }

  /** Its server may stand still, and another may have taken its place without this connection ever being told. */
  #suspect(key: string, confirm: boolean): void {
    const unansweredMs = this.#commandTimeoutMs;
    this.driver.suspect?.(key, unansweredMs);
    if (confirm) this.#confirming?.driver().then((driver) => driver.suspect?.(key, unansweredMs), ignored);
  }

  #tellFirstUse(firstUsed: () => void): void {
    this.#firstUsed = undefined;
    firstUsed();
  }

  async #sent(
    key: string,
    prepared: ScriptCall,
    command: readonly string[],
    copies: number,
    confirm: boolean,
    leftMs = Infinity,
  ): Promise<Answered> {
    if (confirm && this.#confirming !== undefined) {
      const sent = await sentConfirmed(this.#confirming, this.#deadlines, key, command, copies);
      this.#client.storeAnswered();
      return { ...sent, reply: answerOf(prepared, sent.reply) };
    }
    const before = this.#reconnects;
    const sending = this.driver.send(key, command);
    const reply = await (leftMs < this.#commandTimeoutMs
      ? inTime(this.#client.clock, sending, leftMs)
      : this.#deadlines.within(sending));
    this.#client.storeAnswered();
    return { reply: answerOf(prepared, reply), copies: copies + this.#reconnects - before, confirmed: 0 };
  }
}

/** It could not be opened: whoever sends over it is told. */
function ignored(): void {}

/** A copy of a request that was refused or not answered. */
interface FailedCopy {
  readonly error: unknown;
  /** How many connections can have carried it. */
  readonly carriers: number;
  /** How many connections had been made when it was sent. */
  readonly madeBefore: number;
}

/** The client may have sent it again by itself on another connection, and the answer to the first was lost. */
function sentTwice({ carriers }: FailedCopy, effect: Effect): boolean {
  return carriers > 1 && effect !== 'reads';
}
