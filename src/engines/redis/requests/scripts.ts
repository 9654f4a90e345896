import { EngineTimes } from '../../../kernels/requests/engine-times.ts';
import { RequestLimits } from '../../../kernels/requests/request-limits.ts';
import { Requests } from '../../../kernels/requests/requests.ts';
import type { Sending } from '../../../spi/engine/documents.ts';
import { explainedFor } from '../../../kernels/requests/shared-failure.ts';
import type { Client } from '../../../core/client.ts';
import type { ErrorSubject } from '../../../spi/errors.ts';
import type { MaybeAsync, Pending } from '../../../spi/maybe-async.ts';
import type { About, Answered, Effect, LimitedCall, Reading, ScriptRequest } from './call.ts';
import type { RedisDriver, Reply } from '../driver.ts';
import { ReplicaCheck } from './replica-check.ts';
import { answerOf, type ScriptCall } from './script.ts';
import { ScriptConnections } from './script-connections.ts';
import { ScriptCopies } from './script-copies.ts';
import { serverTime } from '../scripts.generated.ts';
import type { ScriptsOptions } from './scripts-options.ts';
import { isUnknownScript, tooLate } from './server-errors.ts';

const asItIs: Reading<Answered> = (answered) => answered;
const timeOf: Reading<number> = ({ reply }) => Number(reply[0]);

const NOT_SENT: Answered = { reply: ['withdrawn'], copies: 0, confirmed: 0 };

/**
 * Sends scripts and returns their answers, in one way for every client. The first copy goes straight to the driver, so
 * that an answered script costs little more than its command; {@link Requests} repeats what is not answered. Each copy is
 * the same request: every script is written so that a second copy does nothing new.
 */
export class Scripts {
  readonly driver: RedisDriver;
  /** The known offsets of the servers' clocks, shared with the cells. */
  readonly times: EngineTimes;
  readonly replicas: ReplicaCheck;
  readonly #client: Client;
  readonly #commandTimeoutMs: number;
  readonly #requests: Requests;
  readonly #limits: RequestLimits;
  readonly #connections: ScriptConnections;
  #onFirstUse: (() => void) | undefined;
  readonly #stopHearing: readonly (() => void)[];

  constructor({ client, driver, commandTimeoutMs, confirming, onFirstUse }: ScriptsOptions) {
    this.driver = driver;
    this.#client = client;
    this.#commandTimeoutMs = commandTimeoutMs;
    this.#onFirstUse = onFirstUse;
    this.times = new EngineTimes(client.clock);
    this.replicas = new ReplicaCheck(confirming?.replicas);
    this.#requests = new Requests({ client, commandTimeoutMs });
    this.#limits = new RequestLimits(client, commandTimeoutMs, this.times);
    this.#connections = new ScriptConnections(client, driver, confirming);
    this.#stopHearing = [
      driver.onReconnect(() => {
        this.#limits.forgetAll();
        this.#connections.reconnects++;
      }),
      driver.onError((error) => client.noteStoreFailure(error)),
    ];
  }

  /** How long the mark of a request is kept. */
  get markMs(): number {
    return this.#limits.markMs;
  }

  /** Sends a script that changes nothing. */
  async read(call: ScriptRequest): Promise<readonly Reply[]> {
    const { reply } = await this.#send(call, call, 'reads', false, asItIs, this.#client.clock.now());
    return reply;
  }

  /** Sends a script that the server may carry out at any time, however late. */
  async run(call: ScriptRequest): Promise<readonly Reply[]> {
    return (await this.send(call, asItIs)).reply;
  }

  /** The same; `read` converts the answer, which includes the number of copies. */
  send<T>(call: ScriptRequest, read: Reading<T>): Pending<T> {
    return this.#send(call, call, 'lasting', false, read, this.#client.clock.now());
  }

  /** Sends a renewal, and counts the replicas that confirmed it if they have to. */
  sendConfirmed(call: ScriptRequest): Pending<Answered> {
    return this.#send(call, call, 'lasting', this.replicas.isRequired, asItIs, this.#client.clock.now());
  }

  /**
   * Sends a script that must not be carried out late (soundness 3). If the only copy was late by the server's clock it
   * certainly did nothing: our estimate of that clock was wrong, and the script is sent once more with the corrected limit.
   * `round`: how often it was sent with a limit, this time included.
   */
  sendLimited<T>(call: LimitedCall, read: Reading<T>, round = 1): Pending<T> {
    const now = this.#client.clock.now();
    if (this.#limits.isKnown(this.driver.nodeOf(call.key), now))
      return this.#sendUntilLimit(call, read, round, now);
    return this.#learnTime(call).then(() =>
      this.#sendUntilLimit(call, read, round, this.#client.clock.now()),
    );
  }

  /** The same, for a caller that awaits the answer. */
  runLimited(call: LimitedCall): Pending<Answered> {
    return this.sendLimited(call, asItIs);
  }

  /**
   * Sends exactly one copy, with neither a deadline nor a limit: cells repeat their requests themselves, and a copy that was
   * repeated here as well would be sent three times. `sending` counts the copy, unless the server has refused it.
   */
  async sendCopy(call: ScriptRequest, effect: Effect, sending?: Sending): Promise<Answered> {
    if (this.#onFirstUse !== undefined) this.#reportFirstUse();
    const confirm = effect !== 'reads' && this.replicas.isRequired;
    const copy = this.#copiesOf(call, call, effect, confirm);
    // The client may keep the copy until it has a connection again, and nothing can withdraw it there.
    sending?.leaves();
    try {
      return await copy.send();
    } catch (error) {
      const meaning = copy.failed(error);
      // An answer by which the server has done nothing, unless the client sent the copy twice by itself.
      if (meaning !== error && !copy.wasSent) sending?.cameToNothing();
      throw explainedFor(this.subject(call.kind, call.name), meaning);
    }
  }

  /** Reports that the server of this key has not answered in time. */
  suspect(key: string): void {
    this.#connections.suspect(key, this.replicas.isRequired, this.#commandTimeoutMs);
  }

  /** Deletes a key that no request needs any more, without waiting: a key that stays expires by itself. */
  deleteKey(key: string): void {
    this.driver.send(key, ['DEL', key]).catch(() => undefined);
  }

  /** How long a mark must stay so that no copy with this limit arrives after it has expired. */
  outlastsMs(key: string, notAfterMs: number): number {
    return this.#limits.outlastsMs(this.driver.nodeOf(key), notAfterMs);
  }

  /** The subject that errors about this synchronizer name. */
  subject(kind: string, name: string): ErrorSubject {
    return { resource: `${kind} ${JSON.stringify(name)}`, engine: this.#client.label };
  }

  close(): void {
    for (const stop of this.#stopHearing) stop();
    this.#requests.close();
  }

  #learnTime({ kind, name, key }: About): Promise<void> {
    const server = (): string => this.driver.nodeOf(key);
    const learning = this.#limits.learn(server(), () => this.#askTime(key), server);
    return learning.catch((error: unknown) => {
      throw explainedFor(this.subject(kind, name), error);
    });
  }

  #askTime(key: string): Pending<number> {
    return this.#send({ key }, serverTime({ key }), 'reads', false, timeOf, this.#client.clock.now());
  }

  #sendUntilLimit<T>(call: LimitedCall, read: Reading<T>, round: number, now: number): Pending<T> {
    // If a reconnect has reset the known clock meanwhile, the limit is in the past: the server refuses, and it is sent once more.
    const notAfterMs = this.#limits.notAfter(this.driver.nodeOf(call.key), now);
    const prepared = call.prepare(notAfterMs);
    if (prepared === undefined) return Promise.resolve(NOT_SENT).then(read);
    const readInTime = (answered: Answered): MaybeAsync<T> => {
      this.#limits.noteTime(this.driver.nodeOf(call.key), Number(answered.reply[1]), now);
      return answered.reply[0] === 'late'
        ? this.#repeatLate(call, read, round, answered.copies, notAfterMs)
        : read(answered);
    };
    return this.#send(call, prepared, 'limited', this.replicas.isRequired, readInTime, now);
  }

  #repeatLate<T>(
    call: LimitedCall,
    read: Reading<T>,
    round: number,
    copies: number,
    notAfterMs: number,
  ): Pending<T> {
    const late = this.#limits.judgeLate(copies, notAfterMs, round);
    if (late === 'again') return this.sendLimited(call, read, round + 1);
    throw tooLate(this.subject(call.kind, call.name), late);
  }

  /** Sends the first copy. The server answers nearly every script then, at little more than the cost of the command itself. */
  #send<T>(
    about: About | { readonly key: string },
    prepared: ScriptCall,
    effect: Effect,
    confirm: boolean,
    read: Reading<T>,
    now: number,
  ): Pending<T> {
    if (this.#onFirstUse !== undefined) this.#reportFirstUse();
    const { key } = about;
    const connections = this.#connections;
    const until = now + this.#requests.patienceMs;
    if (confirm) {
      const copies = this.#copiesOf(about, prepared, effect, true);
      return this.#requests.answerTo(copies, until, copies.send()).then(read);
    }
    const wasUp = connections.isUp(key, false);
    const madeBefore = connections.made(false);
    const before = connections.reconnects;
    const finish = (reply: Reply): MaybeAsync<T> => {
      this.#client.noteStoreAnswer();
      const copies = 1 + connections.reconnects - before;
      return read({ reply: answerOf(prepared, reply), copies, confirmed: 0 });
    };
    const repeat = (error: unknown): Promise<T> => {
      const copies = this.#copiesOf(about, prepared, effect, false);
      copies.follow({ wasUp, madeBefore });
      const answer = isUnknownScript(error)
        ? this.#requests.answerTo(copies, until, copies.sendSource())
        : this.#requests.repeat(copies, until, { error });
      return answer.then(read);
    };
    const reply = wasUp
      ? this.driver.send(key, prepared.command)
      : connections.sendWaiting(key, prepared.command, effect);
    return this.#requests.deadlines.limitAndMap(reply, now, finish, repeat);
  }

  /** Without a name in `about` several callers share the request, and each explains a failure for its own subject. */
  #copiesOf(
    about: About | { readonly key: string },
    prepared: ScriptCall,
    effect: Effect,
    confirm: boolean,
  ): ScriptCopies {
    return new ScriptCopies({
      connections: this.#connections,
      commandTimeoutMs: this.#commandTimeoutMs,
      subject: 'name' in about ? this.subject(about.kind, about.name) : undefined,
      key: about.key,
      prepared,
      effect,
      confirm,
    });
  }

  #reportFirstUse(): void {
    this.#onFirstUse?.();
    this.#onFirstUse = undefined;
  }
}
