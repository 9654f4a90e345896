import type { Follower, Owing, RequestEnd } from '../../spi/verbs/holding.ts';

/**
 * The followers of one request, each until it has been told once.
 *
 * Where the request waits for another one, the source, these follow the source as well. What the source says of the store is
 * for them too. That its caller left is not the end of their own request, which goes on behind the next one of the same line.
 */
export class Followers {
  readonly #followers = new Set<Follower>();
  readonly #source: () => Owing | undefined;
  #unfollow: (() => void) | undefined;

  constructor(source: () => Owing | undefined = () => undefined) {
    this.#source = source;
  }

  get isEmpty(): boolean {
    return this.#followers.size === 0;
  }

  add(follower: Follower): () => void {
    this.#followers.add(follower);
    this.followSource();
    return () => {
      this.#followers.delete(follower);
      if (this.isEmpty) this.#leaveSource();
    };
  }

  /** Call it when the source has changed: a source that is over would keep these, and tell them of what it hears late. */
  followSource(): void {
    this.#leaveSource();
    if (!this.isEmpty) this.#unfollow = this.#source()?.follow(this.#hear);
  }

  /** Forgets them first: one that follows the next request of the same line adds itself again. */
  tell(end: RequestEnd): void {
    if (this.isEmpty) return;
    this.#leaveSource();
    const told = [...this.#followers];
    this.#followers.clear();
    for (const follower of told) follower(end);
  }

  readonly #hear: Follower = (end) => {
    if (end === 'busy' || end === 'silent') this.tell(end);
    else this.followSource();
  };

  #leaveSource(): void {
    this.#unfollow?.();
    this.#unfollow = undefined;
  }
}
