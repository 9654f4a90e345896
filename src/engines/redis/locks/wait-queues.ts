import type { Clock } from '../../../spi/clock.ts';
import type { Pending } from '../../../spi/maybe-async.ts';
import type { OwnerId } from '../../../spi/rule.ts';
import type { Busy, Follower } from '../../../spi/verbs/holding.ts';
import { Followers } from '../../../core/acquire/followers.ts';
import { requestEndOf } from '../../../core/failures/request-end.ts';
import { StoreFullError } from '../../../core/failures/store-full-error.ts';
import { provesAnswer } from '../../../core/failures/proves-answer.ts';
import { busyFor } from './answers.ts';

/**
 * Queues the waiters of this process for each name, where the server keeps no line: in the order of their first ask, and
 * only the first of them asks the server. Without the queue every message would make all of them ask, and the fastest
 * would overtake earlier waiters.
 */
export class WaitQueues {
  readonly #lines = new Map<string, OwnerId[]>();
  /** Wakes an owner that has become the first. */
  readonly #calls = new Map<OwnerId, () => void>();
  /** Since when the server owes a line an answer. */
  readonly #owedSince = new Map<string, number>();
  /** The refusal for lack of memory that the first of a line got, if that was the server's last answer. */
  readonly #full = new Map<string, StoreFullError>();
  /** Single attempts behind the first of a line whose request the server has not answered. */
  readonly #followers = new Map<string, Followers>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many owners wait in line. */
  waiting(name: string): number {
    return this.#lines.get(name)?.length ?? 0;
  }

  /** Returns whether the owner may ask the server now. An owner that will wait joins the line. */
  claimTurn(name: string, owner: OwnerId, waits: boolean): boolean {
    const line = this.#lines.get(name);
    if (line === undefined) {
      if (waits) this.#lines.set(name, [owner]);
      return true;
    }
    if (waits && !line.includes(owner)) line.push(owner);
    return line[0] === owner;
  }

  /** Awaits the answer to the first of a line. The waiters behind see since when it is owed, also when several first ones give up in turn. */
  async awaitAnswer<T>(name: string, request: Pending<T>): Promise<T> {
    if (!this.#owedSince.has(name)) this.#owedSince.set(name, this.#clock.now());
    try {
      const answer = await request;
      this.#owedSince.delete(name);
      this.#full.delete(name);
      this.#followers.get(name)?.tell('busy');
      return answer;
    } catch (error) {
      if (this.#lines.has(name) && error instanceof StoreFullError) this.#full.set(name, error);
      // Kept only while a line exists. A failed single attempt would leave an entry for its name, and a waiter that comes after
      // the outage would count the silence from there. A refusal is an answer: a server that is out of memory is not silent,
      // and the waiters behind the first must not report it as silent.
      if (!this.#lines.has(name) || provesAnswer(error)) this.#owedSince.delete(name);
      this.#followers.get(name)?.tell(requestEndOf(error));
      throw error;
    }
  }

  /** The answer to a waiter behind the first, which has not asked the server. */
  behindFirst(name: string, interestMs: number): Busy {
    const first = {
      owedSince: () => this.#owedSince.get(name),
      fullStore: () => this.#full.get(name),
      follow: (follower: Follower) => this.#follow(name, follower),
    };
    return { ...busyFor(undefined, interestMs), behind: first };
  }

  /** A line that has ended tells nothing more: an owner that stood in it has left it, and its followers hear of its own end. */
  #follow(name: string, follower: Follower): () => void {
    if (!this.#lines.has(name)) return () => undefined;
    const followers = this.#followers.get(name) ?? new Followers();
    this.#followers.set(name, followers);
    return followers.add(follower);
  }

  /** Whether another owner is ahead of this one: then a message is not for it. */
  isBehind(name: string, owner: OwnerId): boolean {
    return (this.#lines.get(name)?.indexOf(owner) ?? -1) > 0;
  }

  /** Removes an owner that has acquired or given up, and wakes the next one if it was the first. */
  leave(name: string, owner: OwnerId): void {
    const line = this.#lines.get(name);
    const place = line?.indexOf(owner) ?? -1;
    if (line === undefined || place === -1) return;
    line.splice(place, 1);
    const [next] = line;
    if (next === undefined) {
      this.#lines.delete(name);
      this.#owedSince.delete(name);
      this.#full.delete(name);
      const followers = this.#followers.get(name);
      this.#followers.delete(name);
      followers?.tell('left');
    } else if (place === 0) this.#calls.get(next)?.();
  }

  /** Calls `call` when the owner becomes the first. Returns a function that ends it. */
  listen(owner: OwnerId, call: () => void): () => void {
    this.#calls.set(owner, call);
    return () => {
      if (this.#calls.get(owner) === call) this.#calls.delete(owner);
    };
  }
}
