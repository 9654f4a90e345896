import type { Sending } from '../../spi/engine/documents.ts';

/**
 * What is known of one request while its copies are under way. A caller may hear that nothing was done only if no copy has
 * left this process, and only if none leaves it afterwards: a copy that waits for a connection of a pool would be carried
 * out after that answer, and a second time when the caller tries again.
 *
 * Counts the copies that are out. The tempting alternative is one flag for all of them, which the copy takes back that
 * failed unsent. Copies overlap: the first is out and unanswered when the second fails for want of a connection, and a flag
 * then says of the first as well that nothing was done.
 */
export class RequestCopies implements Sending {
  #copiesOut: number;
  #isWanted = true;

  /** `isReported`: whether the wire reports when a copy leaves. Otherwise one may be out at any time. */
  constructor(isReported: boolean) {
    this.#copiesOut = isReported ? 0 : 1;
  }

  /** Whether a copy has left this process, or cannot be held back any more, and may have been carried out. */
  get wasSent(): boolean {
    return this.#copiesOut > 0;
  }

  get isWanted(): boolean {
    return this.#isWanted;
  }

  leaves(): void {
    this.#copiesOut++;
  }

  cameToNothing(): void {
    this.#copiesOut--;
  }

  /** The caller hears that nothing was done: no copy may leave any more. */
  giveUp(): void {
    this.#isWanted = false;
  }
}
