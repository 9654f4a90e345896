import type { Clock } from '../../../spi/clock.ts';
import type { Pending } from '../../../spi/maybe-async.ts';
import type { OwnerId } from '../../../spi/rule.ts';
import type { Busy, Follower } from '../../../spi/verbs/holding.ts';
import { Followers } from '../../../core/acquire/followers.ts';
import { StoreFullError } from '../../../core/acquire/store-full-error.ts';
import { provesAnswer } from '../../../core/acquire/proves-answer.ts';
import { busyFor } from './answers.ts';

/**
 * Those of this process who wait for one thing, where the server keeps no line: in the order of asking, and only the
 * first of them asks the server. Without it every message would send all of them to ask, and whoever is quickest would
 * pass those who came before.
 */
export class WaitQueues {
  readonly #lines = new Map<string, OwnerId[]>();
  /** How to call whoever has become the first. */
  readonly #calls = new Map<OwnerId, () => void>();
  /** Since when the server has answered nobody of a line. */
  readonly #owedSince = new Map<string, number>();
  /** What the server refused the first of a line with for lack of room, if that was its last answer. */
  readonly #full = new Map<string, StoreFullError>();
  /** Single attempts behind the first of a line whose request the server has not answered. */
  readonly #followers = new Map<string, Followers>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many stand in line. */
  waiting(name: string): number {
    return this.#lines.get(name)?.length ?? 0;
  }

  /** Whether it is this one's turn to ask. One that will wait takes its place in line with that. */
  mayAsk(name: string, owner: OwnerId, waits: boolean): boolean {
    const line = this.#lines.get(name);
    if (line === undefined) {
      if (waits) this.#lines.set(name, [owner]);
      return true;
    }
    if (waits && !line.includes(owner)) line.push(owner);
    return line[0] === owner;
  }

  /** The answer to the first of a line. Those behind see since when it is owed: also if one first after the other gives up. */
  async answerTo<T>(name: string, request: Pending<T>): Promise<T> {
    if (!this.#owedSince.has(name)) this.#owedSince.set(name, this.#clock.now());
    try {
      const answer = await request;
      this.#owedSince.delete(name);
      this.#full.delete(name);
      this.#followers.get(name)?.tell({ kind: 'answered' });
      return answer;
    } catch (error) {
      if (this.#lines.has(name) && error instanceof StoreFullError) this.#full.set(name, error);
      // Kept for those in line only. A single attempt that failed would leave an entry for its name, and a waiter that comes
      // after the outage would count the silence from there. A refusal is an answer: a server that is out of memory is not
      // silent, and those behind the first of the line are not to be told so.
      if (!this.#lines.has(name) || provesAnswer(error)) this.#owedSince.delete(name);
      this.#followers.get(name)?.tell({ kind: 'failed', error });
      throw error;
    }
  }

  /** What one is told that stands behind the first, and so has not asked. */
  behindFirst(name: string, interestMs: number): Busy {
    const first = {
      owedSince: () => this.#owedSince.get(name),
      fullStore: () => this.#full.get(name),
      follow: (follower: Follower) => this.#follow(name, follower),
    };
    return { ...busyFor(undefined, interestMs), behind: first };
  }

  /** Without a line there is no request to follow. */
  #follow(name: string, follower: Follower): () => void {
    if (!this.#lines.has(name)) return () => undefined;
    const followers = this.#followers.get(name) ?? new Followers();
    this.#followers.set(name, followers);
    return followers.add(follower);
  }

  /** Whether somebody stands before this one: then a message is not for it. */
  isBehind(name: string, owner: OwnerId): boolean {
    return (this.#lines.get(name)?.indexOf(owner) ?? -1) > 0;
  }

  /** Has gone in or given up: whoever is behind is called. */
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
      followers?.tell({ kind: 'gone' });
    } else if (place === 0) this.#calls.get(next)?.();
  }

  /** From now on `call` is called when the owner becomes the first. */
  listen(owner: OwnerId, call: () => void): () => void {
    this.#calls.set(owner, call);
    return () => {
      if (this.#calls.get(owner) === call) this.#calls.delete(owner);
    };
  }
}
