/** Whether a copy of a request may have been carried out, for a caller that hears of a failure. */
export interface CopiesSent {
  /** A copy has left this process, or cannot be held back any more, and may have been carried out. */
  readonly wasSent: boolean;
  /** The caller hears that nothing was done: a copy that is still here is not sent any more. */
  giveUp(): void;
}

/**
 * Counts the copies of one request that are out. A caller may hear that nothing was done only if no copy has left this
 * process, and only if none leaves it afterwards: a copy that waits for a connection of a pool would be carried out after
 * its caller heard so, and be done twice when the caller tries again (soundness 3).
 *
 * The tempting alternative is one flag for all copies, which a copy takes back that failed unsent. Copies overlap: the first
 * is out and unanswered when the second fails for want of a connection, and a flag then says of the first as well that
 * nothing was done.
 */
export class Sending<A = unknown> implements CopiesSent {
  /** Whether the wire calls `leaves` and `cameToNothing`. Where it does not, a copy counts as out when it is sent. */
  readonly isTold: boolean;
  /** The first answer to any of the copies, for a wire that decides in this process: the others do nothing more. */
  answer: A | undefined;
  #copiesOut = 0;
  #isWanted = true;

  constructor(isTold: boolean) {
    this.isTold = isTold;
  }

  get wasSent(): boolean {
    return this.#copiesOut > 0;
  }

  /** False once its caller heard that nothing was done. A copy that is still here is not sent then. */
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

  giveUp(): void {
    this.#isWanted = false;
  }
}
