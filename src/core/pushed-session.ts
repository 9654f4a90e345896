import type { Liveness, LivenessNews } from '../spi/engine/liveness.ts';
import { asPromise, isPending, type MaybeAsync } from '../spi/maybe-async.ts';
import type { Follower, Owing } from '../spi/verbs/holding.ts';
import { Followers } from './acquire/followers.ts';
import { safetyMarginMs } from './time/safety-margin.ts';
import { inTime } from './async/in-time.ts';
import type { Client } from './client.ts';
import type { ClientSession } from './session.ts';
import { TimerTask } from './time/timer-queue.ts';

/** How long `close` waits for the store to end the session, which the store ends by itself anyway. */
const LONGEST_CLOSE_MS = 5000;

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
   * Since when the connection is broken, as far as the engine knows: the store owes the answer to a heartbeat. By this a waiter
   * of a line tells contention from an outage. It watches and asks nothing, so that no request of its own would be owed.
   */
  owedSince(): number | undefined {
    return this.#suspendedSince;
  }

  follow(follower: Follower): () => void {
    return this.#followers.add(follower);
  }

  open(): MaybeAsync<void> {
    if (this.#client.clock.now() < this.#client.sessionDeadline) return undefined;
    // The process may have stood still past the deadline, and this call may come before the timer (soundness 6).
    if (this.#id !== undefined) this.#endIdentity();
    return this.#liveness.open();
  }

  endIdentity(client: string): void {
    if (client === this.#client.ids.client && this.#id !== undefined) this.#endIdentity();
  }

  override due(now: number): void {
    if (now < this.#client.sessionDeadline) return;
    this.#followers.tell('silent');
    this.#endIdentity();
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

  #hear(news: LivenessNews): void {
    if (this.#closed) return;
    if (news.kind === 'lost') {
      if (this.#id !== undefined) this.#endIdentity(false);
    } else if (news.kind === 'suspended') {
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
    ids.renewClient();
    if (mayStillBeThere) this.#liveness.abandon();
    keeper.loseAll();
    for (const call of this.whenEnded) call();
  }
}
