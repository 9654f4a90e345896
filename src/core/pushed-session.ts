import type { Liveness, LivenessNews } from '../spi/engine/liveness.ts';
import { EngineError } from '../spi/errors.ts';
import { asPromise, isPending, mapAnswer, type MaybeAsync } from '../spi/maybe-async.ts';
import type { Follower, Owing } from '../spi/verbs/holding.ts';
import { Followers } from './acquire/followers.ts';
import { safetyMarginMs } from './time/safety-margin.ts';
import { inTime } from './async/in-time.ts';
import type { Client } from './client.ts';
import type { ClientSession } from './session.ts';
import { TimerTask } from './time/timer-queue.ts';

/** How long `close` waits for the client to give back what it holds, and as long again for the store to end the session. */
const LONGEST_CLOSE_MS = 5000;

/** Each caller that listens hears of the error itself. */
function ignore(): void {}

/**
 * The session of a client whose engine pushes what happens to it. Sets the deadline that ends all holds: the send time of the
 * last acknowledged heartbeat, plus what the store granted, less the margin.
 *
 * A connection that breaks and is resumed within the session changes nothing here: holds and tickets stay as they are. A new
 * session is a new identity, and no hold of the old one comes back with it (soundness 18).
 */
export class PushedSession extends TimerTask implements ClientSession, Owing {
  /** Called when the session has ended, after the holds are lost. */
  readonly whenEnded = new Set<() => void>();
  readonly #client: Client;
  readonly #liveness: Liveness;
  #id: string | undefined;
  #suspendedSince: number | undefined;
  #connections = 0;
  /** How many sessions are over: of the callers that share an opening only the first one gives up what it has opened. */
  #ended = 0;
  /** Single attempts behind an owner that waits in a line, while the connection is broken. */
  readonly #followers = new Followers();
  #closed = false;

  constructor(client: Client, liveness: Liveness) {
    super();
    this.#client = client;
    this.#liveness = liveness;
    client.sessionDeadline = -Infinity;
    liveness.follow((news) => this.#hear(news));
  }

  override get keepsAlive(): boolean {
    return false;
  }

  /** The store's name for the session; undefined while there is none. */
  get id(): string | undefined {
    return this.#id;
  }

  /**
   * Which connection stands: as long as it is the same, the store reports in order what it does. Undefined while the connection
   * is broken, or when the deadline has passed.
   *
   * Compares with the clock. The race: after a stall of the event loop news that have waited in the socket come before the timer
   * of the deadline, and the session that they speak of may have ended (soundness 6).
   */
  get connection(): number | undefined {
    return this.#isLive && this.#suspendedSince === undefined ? this.#connections : undefined;
  }

  /**
   * Since when the connection is broken, as far as the engine knows: the store owes the answer to a heartbeat. By this a waiter
   * of a line tells contention from an outage. It watches and asks nothing, so that no request of its own would be owed.
   */
  owedSince(): number | undefined {
    return this.#suspendedSince;
  }

  follow(follower: Follower): () => void {
    return this.#followers.add(follower);
  }

  get #isLive(): boolean {
    return this.#client.clock.now() < this.#client.sessionDeadline;
  }

  open(): MaybeAsync<void> {
    if (this.#isLive) return undefined;
    // The process may have stood still past the deadline, and this call may come before the timer (soundness 6).
    if (this.#id !== undefined) this.#endIdentity();
    // The race: a query is repeated while its client closes. A session that it opened now would never be closed.
    const opened = this.#closed ? Promise.reject(this.#closedError()) : this.#liveness.open();
    const ended = this.#ended;
    const opening = mapAnswer(opened, () => this.#refuseLate(ended));
    // A caller whose time is over between this call and its first `await` never listens.
    if (isPending(opening)) asPromise(opening).catch(ignore);
    return opening;
  }

  endIdentity(client: string): void {
    if (client === this.#client.ids.client && this.#id !== undefined) this.#endIdentity();
  }

  override due(now: number): void {
    if (now < this.#client.sessionDeadline) return;
    this.#followers.tell('silent');
    this.#endIdentity();
  }

  /**
   * Waits for a store that does not answer only so long. The tempting alternative waits for the client: its requests wait for the next
   * connection, until the session is over, and then for the next session, which took 45 s where servers were gone (sessions of 20 s). The end of
   * the session rejects what is still under way, and takes away in the store what the client had there.
   */
  async endAfter(closed: Promise<void>): Promise<void> {
    await inTime(this.#client.clock, closed, LONGEST_CLOSE_MS).catch(ignore);
    await this.end();
    await closed;
  }

  async end(): Promise<void> {
    this.#closed = true;
    this.#client.timers.drop(this);
    try {
      const closed = this.#liveness.close();
      if (isPending(closed)) await inTime(this.#client.clock, asPromise(closed), LONGEST_CLOSE_MS);
    } catch {
      // The store ends the session by itself; it may be the very thing that is gone.
    }
  }

  /**
   * The race: the store grants a session, and the process stands still, or the answer is on its way, for longer than the session lasts. The
   * tempting alternative goes on, and leaves it to the request to find no session: the engine calls its session open, so the
   * next attempt comes here again without a turn of the event loop, and the heartbeat that would mend it is never read.
   */
  #refuseLate(ended: number): void {
    if (this.#closed) throw this.#closedError();
    if (this.#isLive) return;
    if (this.#ended === ended) {
      this.#ended++;
      this.#liveness.abandon();
    }
    throw this.#retryable('session: it was opened later than it lasts. Try again.');
  }

  /** Retryable, so that a repeated request explains it for its own subject: its client is closed. */
  #closedError(): EngineError {
    return this.#retryable('session: it was closed with its engine object.');
  }

  #retryable(message: string): EngineError {
    return new EngineError(message, { resource: 'session', engine: this.#client.label }, { retryable: true });
  }

  #hear(news: LivenessNews): void {
    if (this.#closed) return;
    if (news.kind === 'lost') {
      if (this.#id !== undefined) this.#endIdentity(false);
    } else if (news.kind === 'suspended') {
      this.#connections++;
      this.#suspendedSince ??= this.#client.clock.now();
      this.#client.noteStoreFailure(news.error ?? new Error('the connection is broken'));
    } else this.#prolong(news);
  }

  #prolong({ session, sentAt, timeoutMs }: LivenessNews & { kind: 'connected' }): void {
    const { clock, timers } = this.#client;
    const deadline = sentAt + timeoutMs - safetyMarginMs(timeoutMs);
    if (this.#id !== undefined && (this.#id !== session || clock.now() >= this.#client.sessionDeadline)) {
      // Lost is final. The acknowledgement may be the very one that shows that the store has kept the session beyond the
      // deadline: holders have heard of the loss by then, or hear of it when they ask, and must not hear otherwise afterwards.
      const isSame = this.#id === session;
      this.#endIdentity(isSame);
      if (isSame) return;
    }
    this.#suspendedSince = undefined;
    this.#followers.tell('busy');
    this.#client.noteStoreAnswer();
    if (clock.now() >= deadline) return;
    this.#id = session;
    // Acknowledgements may be reported out of order; none shortens what an earlier one has proven.
    this.#client.sessionDeadline = Math.max(this.#client.sessionDeadline, deadline);
    timers.set(this, this.#client.sessionDeadline);
  }

  #endIdentity(mayStillBeThere = true): void {
    const { timers, ids, keeper } = this.#client;
    timers.drop(this);
    this.#client.sessionDeadline = -Infinity;
    this.#id = undefined;
    this.#ended++;
    ids.renewClient();
    if (mayStillBeThere) this.#liveness.abandon();
    keeper.loseAll();
    for (const call of this.whenEnded) call();
  }
}
