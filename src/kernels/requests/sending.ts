/**
 * What is known of one request while its copies are under way. A caller may be told that nothing was done only if no copy
 * has left this process, and only if none leaves it afterwards: a copy that waits for a connection of a pool would be
 * carried out after its caller was told so, and be done twice when the caller tries again.
 *
 * Counts the copies that are out. The tempting alternative is one flag for all of them, which the copy takes back that
 * failed unsent. Copies overlap: the first is out and unanswered when the second fails for want of a connection, and a flag
 * then says of the first as well that nothing was done.
 */
export class Sending {
  #copiesOut: number;
  #isWanted = true;

  /** `isTold`: whether the wire tells when a copy leaves. Otherwise one may be out at any time. */
  constructor(isTold: boolean) {
    this.#copiesOut = isTold ? 0 : 1;
  }

  /** A copy has left this process, or cannot be held back any more, and may have been carried out. */
  get wasSent(): boolean {
    return this.#copiesOut > 0;
  }

  /** False once its caller was told that nothing was done. A copy that is still here is not sent then. */
  get isWanted(): boolean {
    return this.#isWanted;
  }

  /** A copy leaves. */
  leaves(): void {
    this.#copiesOut++;
  }

  /** The store has refused or undone a copy that had left: it has certainly done nothing. */
  cameToNothing(): void {
    this.#copiesOut--;
  }

  /** The caller is told that nothing was done. */
  giveUp(): void {
    this.#isWanted = false;
  }
}
