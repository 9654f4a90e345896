import type { Follower, Owing, RequestEnd } from '../../spi/verbs/holding.ts';
import { Followers } from './followers.ts';

/**
 * An acquisition that others of the same owner wait for. They ask nothing themselves, and see by it whether the store
 * answers: what they follow is the request of this acquisition or, before its turn, the line that it stands in.
 */
export class Followed implements Owing {
  /** Resolves when the acquisition is over, whatever became of it. */
  settled: Promise<void> = Promise.resolve();
  #source: Owing | undefined;
  #followers: Followers | undefined;

  set source(source: Owing | undefined) {
    this.#source = source;
    this.#followSource();
  }

  owedSince(): number | undefined {
    return this.#source?.owedSince();
  }

  fullStore(): Error | undefined {
    return this.#source?.fullStore?.();
  }

  follow(follower: Follower): () => void {
    // The failure of a head before it does not end this acquisition: it goes on behind the next one, or as the head.
    this.#followers ??= new Followers(() => this.#followSource());
    const unfollow = this.#followers.add(follower);
    this.#followSource();
    return unfollow;
  }

  /** The acquisition is over. */
  end(end: RequestEnd): void {
    this.#followers?.tell(end);
  }

  #followSource(): void {
    if (this.#followers?.isEmpty === false) this.#source?.follow?.(this.#followers.relay);
  }
}
