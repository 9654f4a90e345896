import type { Follower, RequestEnd } from '../../spi/verbs/holding.ts';

/** Those that follow one request, each until it has been told once. */
export class Followers {
  readonly #followers = new Set<Follower>();

  readonly #goOn: (() => void) | undefined;

  /** `goOn`: what to do when the request ends that these follow by way of {@link Followers.relay}, and no answer ended it. */
  constructor(goOn?: () => void) {
    this.#goOn = goOn;
  }

  /** Follows the request of another for these: an answer to it is for them too, its failure is not the end of what they follow. */
  readonly relay: Follower = (end) => {
    if (end.kind === 'answered') this.tell(end);
    else this.#goOn?.();
  };

  get isEmpty(): boolean {
    return this.#followers.size === 0;
  }

  add(follower: Follower): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  /** Forgets them first: one that follows the next request of the same line adds itself again. */
  tell(end: RequestEnd): void {
    if (this.isEmpty) return;
    const told = [...this.#followers];
    this.#followers.clear();
    for (const follower of told) follower(end);
  }
}
