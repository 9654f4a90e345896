/**
 * The renewals and extensions that were sent for one grant, and which of them the store confirmed. Made with the first of
 * them, or with the wish of a holder for how long the lock is to last: nearly all grants are released before, and have none.
 */
export class RenewalRequests {
  #asked = 0;
  #confirmed = 0;
  #lastConfirmed = 0;
  /** The longest time that was ever asked for. */
  longestMs = 0;
  /** How long the store is to keep the lock taken, at least, counted from the grant. */
  minHoldMs: number | undefined;

  /** The store is being asked to keep the grant for so long; until it answers, it may or may not. Numbers the request. */
  ask(ms: number): number {
    this.longestMs = Math.max(this.longestMs, ms);
    return ++this.#asked;
  }

  confirm(request: number): void {
    this.#confirmed++;
    this.#lastConfirmed = Math.max(this.#lastConfirmed, request);
  }

  /**
   * A request was sent and never answered: the store may keep the grant for longer than the client believes. Each request
   * is settled by its own answer only. One mark for all of them was cleared by the answer to a short extension while a long
   * one was still under way, whose reply then got lost: the store kept a lost hold for the longer time.
   */
  get unsettled(): boolean {
    return this.#confirmed < this.#asked;
  }

  /** The last request is under way, or has failed and is to be repeated. */
  get isLastUnderWay(): boolean {
    return this.#lastConfirmed < this.#asked;
  }
}
