import type { SessionStore } from '../spi/engine/cells.ts';
import { asPromise, type MaybeAsync, isPending } from '../spi/maybe-async.ts';
import { TimerTask } from './time/timer-queue.ts';
import type { Client } from './client.ts';
import { safetyMarginMs } from './time/safety-margin.ts';
import { inTime } from './async/in-time.ts';

/** The session of a client as kernels use it: beaten by its keeper, or pushed by the engine. */
export interface ClientSession {
  /** Resolves once the session is open. To be awaited before anything that names this client reaches the store. */
  open(): MaybeAsync<void>;
  /** The store answered that this identity is over. */
  endIdentity(client: string): void;
  /** The client closes: ends the session behind `closed`, which resolves when the client has given back what it holds. */
  endAfter(closed: Promise<void>): Promise<void>;
}

/** Each caller that listens hears of the error itself. */
function ignore(): void {}

/**
 * This client's sign of life in the store. While it is renewed, whatever names this client in a cell counts; once it has
 * ended it is never revived: the client takes a new identity and all its holds are lost (soundness 18).
 *
 * A hold must not outlive the session it was taken under, because the store gives it away when the session ends. The
 * deadline of the session therefore ends all holds, whatever their own leases say.
 */
export class Session extends TimerTask implements ClientSession {
  readonly #client: Client;
  readonly #store: SessionStore;
  readonly #ttlMs: number;
  #beating: Promise<void> | undefined;
  #giveUpBeat: (() => void) | undefined;
  #closed = false;

  constructor(client: Client, store: SessionStore, ttlMs: number) {
    super();
    this.#client = client;
    this.#store = store;
    this.#ttlMs = ttlMs;
    client.sessionDeadline = -Infinity;
  }

  override get keepsAlive(): boolean {
    return false;
  }

  /** Resolves once the session is open. To be awaited before anything that names this client reaches a cell. */
  open(): MaybeAsync<void> {
    if (this.#client.clock.now() < this.#client.sessionDeadline) return undefined;
    if (this.#client.sessionDeadline > -Infinity) this.#endIdentity();
    return this.#beatOnce();
  }

  /** The store has told us that this identity is over. */
  endIdentity(client: string): void {
    if (client === this.#client.ids.client) this.#endIdentity();
  }

  override due(now: number): void {
    if (now >= this.#client.sessionDeadline) this.#endIdentity();
    // A beat that failed is tried again; its error is for the callers that wait for the session to open.
    else this.#client.background(this.#beatOnce());
  }

  async endAfter(closed: Promise<void>): Promise<void> {
    await closed;
    await this.end();
  }

  async end(): Promise<void> {
    this.#closed = true;
    this.#client.timers.drop(this);
    // No caller waits for it any more, and its timer would outlive the client.
    this.#giveUpBeat?.();
    const { clock, ids, sessionDeadline } = this.#client;
    if (clock.now() >= sessionDeadline) return;
    try {
      const ended = this.#store.end(ids.client);
      if (isPending(ended)) await inTime(clock, asPromise(ended), this.#ttlMs / 6);
    } catch {
      // It lapses by itself; the store may be the very thing that is gone.
    }
  }

  #beatOnce(): MaybeAsync<void> {
    if (this.#beating !== undefined) return this.#beating;
    const { clock, ids } = this.#client;
    const sentAt = clock.now();
    let answer: MaybeAsync<'alive' | 'ended'>;
    try {
      answer = this.#store.beat(ids.client, this.#ttlMs);
    } catch (error) {
      answer = Promise.reject(error);
    }
    if (!isPending(answer)) return this.#applyBeat(answer, sentAt);
    this.#beating = this.#awaitBeat(
      inTime(clock, asPromise(answer), this.#ttlMs / 6, false, (giveUp) => {
        this.#giveUpBeat = giveUp;
      }),
      sentAt,
      ids.generation,
    );
    // A caller whose time is over between this call and its first `await` never listens. Not `client.background`: `close` waits
    // for that, and would wait for a sixth of a session on a store that is silent.
    this.#beating.catch(ignore);
    return this.#beating;
  }

  async #awaitBeat(answer: Promise<'alive' | 'ended'>, sentAt: number, generation: number): Promise<void> {
    const { timers, clock, ids } = this.#client;
    if (sentAt < this.#client.sessionDeadline) timers.set(this, this.#client.sessionDeadline);
    try {
      const beaten = await answer;
      // An answer about who we were says nothing about who we are.
      if (ids.generation === generation) this.#applyBeat(beaten, sentAt);
    } catch (error) {
      if (!this.#closed && ids.generation === generation && this.#client.sessionDeadline > -Infinity) {
        timers.set(this, Math.min(clock.now() + this.#ttlMs / 30, this.#client.sessionDeadline));
      }
      throw error;
    } finally {
      if (ids.generation === generation) this.#beating = undefined;
    }
  }

  #applyBeat(answer: 'alive' | 'ended', sentAt: number): void {
    if (answer === 'ended') return this.#endIdentity();
    // A session without end needs no beat: an engine in this very process.
    if (this.#ttlMs === Infinity) {
      this.#client.sessionDeadline = Infinity;
      return undefined;
    }
    this.#client.sessionDeadline = sentAt + this.#ttlMs - safetyMarginMs(this.#ttlMs);
    if (!this.#closed) this.#client.timers.set(this, sentAt + this.#ttlMs / 3);
    return undefined;
  }

  /** Lost is final, also when the store might still have it: the next session is a new identity. */
  #endIdentity(): void {
    const { timers, ids, keeper } = this.#client;
    timers.drop(this);
    this.#client.sessionDeadline = -Infinity;
    this.#beating = undefined;
    ids.renewClient();
    keeper.loseAll();
  }
}
