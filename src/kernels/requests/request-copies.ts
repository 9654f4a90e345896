import type { Sending } from '../../spi/engine/documents.ts';

/** Whether a copy of a request may have been carried out, for a caller that hears of a failure. */
export interface CopiesSent {
  /** Whether a copy has left this process, or cannot be held back any more, and may have been carried out. */
  readonly wasSent: boolean;
  /** The caller hears that nothing was done: no copy may leave any more. */
  giveUp(): void;
}

/**
 * What is known of one request while its copies are under way. A caller may hear that nothing was done only if no copy has
 * left this process, and only if none leaves it afterwards: a copy that waits for a connection of a pool would be carried
 * out after that answer, and a second time when the caller tries again (soundness 3).
 *
 * Counts the copies that are out. The tempting alternative is one flag for all of them, which the copy takes back that
 * failed unsent. Copies overlap: the first is out and unanswered when the second fails for want of a connection, and a flag
 * then says of the first as well that nothing was done.
 */
export class RequestCopies<A = unknown> implements Sending, CopiesSent {
  /** Whether the wire calls `leaves` and `cameToNothing`. Where it does not, a copy counts as out when it is sent. */
  readonly isReported: boolean;
  /** The first answer to any of the copies, for a wire that decides in this process: the others do nothing more. */
  answer: A | undefined;
  #copiesOut = 0;
  #isWanted = true;

  constructor(isReported: boolean) {
    this.isReported = isReported;
  }

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

  giveUp(): void {
    this.#isWanted = false;
  }
}
