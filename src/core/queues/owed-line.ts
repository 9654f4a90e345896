import type { Follower, Owing, RequestEnd } from '../../spi/verbs/holding.ts';
import type { Contact } from '../acquire/contact.ts';
import { Followers } from '../acquire/followers.ts';
import type { LineBehind } from '../acquire/pending-acquire.ts';
import { requestEndOf } from '../failures/request-end.ts';
import { LocalQueue } from './local-queue.ts';

/** A local queue whose waiters, and those that follow its request, see by one request whether the store answers. */
export abstract class OwedLine extends LocalQueue implements Owing, LineBehind {
  /**
   * Since when the store owes the answer that all here wait for, as far as a waiter needs to know it; undefined while it owes
   * none. A head that gives up is no answer: of many that give up one after the other each would seem to have asked only a
   * moment ago.
   */
  protected owedFrom: number | undefined;
  #contact: Contact | undefined;
  /** Those that wait for the answer without a place in line. Made with the first of them. */
  #followers: Followers | undefined;

  /** What the request knows of the store, once it waits in the loop. */
  get contact(): Contact | undefined {
    return this.#contact;
  }

  set contact(contact: Contact | undefined) {
    this.#contact = contact;
    this.#followers?.followSource();
  }

  owedSince(): number | undefined {
    return this.#contact === undefined ? this.owedFrom : this.#contact.owedSince();
  }

  fullStore(): Error | undefined {
    return this.#contact?.fullStore();
  }

  follow(follower: Follower): () => void {
    this.#followers ??= new Followers(() => this.#contact);
    return this.#followers.add(follower);
  }

  protected get isFollowed(): boolean {
    return this.#followers?.isEmpty === false;
  }

  /** Tells the followers what becomes of the request. */
  protected tellEndOf(request: Promise<unknown>): void {
    request.then(
      () => this.tellFollowers('busy'),
      (error: unknown) => this.tellFollowers(requestEndOf(error)),
    );
  }

  protected tellFollowers(end: RequestEnd): void {
    this.#followers?.tell(end);
  }
}
