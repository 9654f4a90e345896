import { EngineTimes } from '../../kernels/engine-times.ts';
import type { EngineTime } from '../../kernels/engine-time.ts';
import { EqualDeadlines } from '../../kernels/equal-deadlines.ts';
import { type Client, closedError, NoAnswerError } from '../../kernels/surroundings.ts';
import type { ErrorSubject } from '../../spi/errors.ts';
import type { Eventually, Later } from '../../spi/eventually.ts';
import type { About, Answered, Call, Reading, TimedCall } from './call.ts';
import { type Confirming, sentConfirmed } from './confirming.ts';
import type { RedisDriver, Reply } from './driver.ts';
import { answerOf, type Prepared, withSource } from './script.ts';
import { serverTime } from './scripts.generated.ts';
import {
  explained,
  isFinal,
  isNotReady,
  isOutOfMemory,
  isUnknownScript,
  notConfirmed,
  notReady,
  unknownOutcome,
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
  readonly #deadlines: EqualDeadlines;
  #firstUsed: (() => void) | undefined;
  /** Each server has a clock of its own. */
  readonly #times: EngineTimes;
  readonly #learning = new Map<string, Promise<void>>();
  /** A client may send again by itself what was under way when its connection broke, and tells nobody: ioredis does. */
  #reconnects = 0;
  readonly #forget: () => void;

  constructor({ client, driver, commandTimeoutMs, confirming, firstUsed }: CallsOptions) {
    this.driver = driver;
    this.#client = client;
    this.#commandTimeoutMs = commandTimeoutMs;
    this.#limitStepMs = Math.max(1, Math.floor(commandTimeoutMs / LIMITS_IN_A_TIMEOUT));
    this.#confirming = confirming;
    this.#firstUsed = firstUsed;
    this.#deadlines = new EqualDeadlines(client.clock, commandTimeoutMs);
    this.#times = new EngineTimes(client.clock);
    this.#forget = driver.onReconnect(() => {
      this.#times.forgetAll();
      this.#reconnects++;
    });
  }

  /** How long the mark of a request is kept. */
  get markMs(): number {
    return TRIES * this.#commandTimeoutMs + KEPT_LONGER_MS;
  }

  /** Calls a script that may be carried out at any time, however late. */
  async run(call: Call): Promise<readonly Reply[]> {
    return (await this.answered(call, asItIs)).reply;
  }

  /** The same, telling how many copies were sent. */
  answered<T>(call: Call, read: Reading<T>): Later<T> {
    return this.#settled(call, call, false, read, this.#client.clock.now());
  }

  /** A grant or renewal: if replicas have to confirm, how many did. */
  confirmed(call: Call): Later<Answered> {
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
  timed(call: TimedCall): Later<Answered>;
  timed<T>(call: TimedCall, read: Reading<T>): Later<T>;
  timed<T>(call: TimedCall, read: Reading<T | Answered> = asItIs): Later<T | Answered> {
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
    this.#deadlines.close();
  }

  /** What an error says it is about. */
  subject(kind: string, name: string): ErrorSubject {
    return { resource: `${kind} ${JSON.stringify(name)}`, engine: this.#client.label };
  }

  /** Many may want to know it at once, after a while of silence or a reconnect: one of them asks. */
  #learnTime(call: About): Promise<void> {
    const node = this.driver.nodeOf(call.key);
    const learning =
      this.#learning.get(node) ?? this.#askTime(call).finally(() => this.#learning.delete(node));
    this.#learning.set(node, learning);
    return learning;
  }

  async #askTime({ kind, name, key }: About): Promise<void> {
    const askedAt = this.#client.clock.now();
    const [nowMs] = await this.run({ kind, name, key, ...serverTime({ key }) });
    this.#timeOf(key).heard(Number(nowMs), askedAt);
  }

  #timeOf(key: string): EngineTime {
    return this.#times.of(this.driver.nodeOf(key));
  }

  #timed<T>(call: TimedCall, read: Reading<T>, mayRepeat: boolean): Later<T> {
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
  ): Later<T> {
    const limitMs = engineNow + TRIES * this.#commandTimeoutMs;
    const prepared = call.prepare(Math.floor(limitMs / this.#limitStepMs) * this.#limitStepMs);
    if (prepared === undefined) return Promise.resolve(NOT_SENT).then(read);
    const confirm = this.#confirming !== undefined;
    const readInTime = (answered: Answered): Eventually<T> => {
      this.#timeOf(call.key).heard(Number(answered.reply[1]), now);
      return answered.reply[0] === 'late' ? this.#wasLate(call, read, mayRepeat, answered) : read(answered);
    };
    return this.#settled(call, prepared, confirm, readInTime, now);
  }

  #wasLate<T>(call: TimedCall, read: Reading<T>, mayRepeat: boolean, { copies }: Answered): Later<T> {
    this.#times.forget(this.driver.nodeOf(call.key));
    if (copies > 1 || !mayRepeat) throw unknownOutcome(undefined, this.subject(call.kind, call.name));
    return this.#timed(call, read, false);
  }

  /** Nearly every call is answered the first time, and then costs little more than the command itself. */
  #settled<T>(about: About, prepared: Prepared, confirm: boolean, read: Reading<T>, now: number): Later<T> {
    if (this.#firstUsed !== undefined) this.#tellFirstUse(this.#firstUsed);
    const { key } = about;
    const { command } = prepared;
    const before = this.#reconnects;
    const again = (reason: unknown): Promise<T> =>
      this.#again(about, prepared, confirm, reason, this.#reconnects > before).then(read);
    if (confirm) return this.#sent(key, prepared, command, 1, true).then(read, again);
    const done = (reply: Reply): Eventually<T> => {
      const copies = 1 + this.#reconnects - before;
      return read({ reply: answerOf(prepared, reply), copies, confirmed: 0 });
    };
    return this.#deadlines.settled(this.driver.send(key, command), now, done, again);
  }

  async #again(
    { kind, name, key }: About,
    prepared: Prepared,
    confirm: boolean,
    reason: unknown,
    /** The client may have sent another copy by itself, whose answer was lost. */
    isDoubtful: boolean,
  ): Promise<Answered> {
    const { clock } = this.#client;
    const until = clock.now() + this.#commandTimeoutMs;
    let error = reason;
    let unanswered = isDoubtful;
    for (let copies = 1; ; copies++) {
      if (isUnknownScript(error)) {
        // The server has done nothing but say so: with its text, this is still the same copy.
        const sent = await outcomeOf(this.#sent(key, prepared, withSource(prepared), copies, confirm));
        if ('answered' in sent) return sent.answered;
        error = sent.error;
      }
      const subject = this.subject(kind, name);
      // Of a server that is out of memory now, an earlier copy may have found room.
      if (unanswered && isOutOfMemory(error)) throw unknownOutcome(error, subject);
      if (isFinal(error, this.driver.topology)) throw explained(error, subject, this.driver.topology);
      if (this.#client.closed) throw closedError(subject);
      if (!isNotReady(error)) unanswered = true;
      if (error instanceof NoAnswerError) this.#suspect(key, confirm);
      if (clock.now() >= until) throw unanswered ? unknownOutcome(error, subject) : notReady(error, subject);
      await this.#client.sleep(this.#commandTimeoutMs / 50);
      const sent = await outcomeOf(this.#sent(key, prepared, prepared.command, copies + 1, confirm));
      if ('answered' in sent) return sent.answered;
      error = sent.error;
    }
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
    prepared: Prepared,
    command: readonly string[],
    copies: number,
    confirm: boolean,
  ): Promise<Answered> {
    if (confirm && this.#confirming !== undefined) {
      const sent = await sentConfirmed(this.#confirming, this.#deadlines, key, command, copies);
      return { ...sent, reply: answerOf(prepared, sent.reply) };
    }
    const before = this.#reconnects;
    const reply = await this.#deadlines.within(this.driver.send(key, command));
    return { reply: answerOf(prepared, reply), copies: copies + this.#reconnects - before, confirmed: 0 };
  }
}

/** It could not be opened: whoever sends over it is told. */
function ignored(): void {}

type Sent = { readonly answered: Answered } | { readonly error: unknown };

async function outcomeOf(sent: Promise<Answered>): Promise<Sent> {
  try {
    return { answered: await sent };
  } catch (error) {
    return { error };
  }
}
