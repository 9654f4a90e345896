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
    this.#followers?.followSource();
  }

  owedSince(): number | undefined {
    return this.#source?.owedSince();
  }

  fullStore(): Error | undefined {
    return this.#source?.fullStore?.();
  }

  follow(follower: Follower): () => void {
    this.#followers ??= new Followers(() => this.#source);
    return this.#followers.add(follower);
  }

  /** The acquisition is over. */
  end(end: RequestEnd): void {
    this.#followers?.tell(end);
  }
}
