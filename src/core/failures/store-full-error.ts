import type { ErrorSubject } from '../../spi/errors.ts';
import { AnsweredError } from './answered-error.ts';

/** The store takes nothing new for lack of room; what is there can be renewed and given back. */
export class StoreFullError extends AnsweredError {
  /**
   * No copy of the request is under way and none was carried out: nothing is to be withdrawn. A withdrawal leaves a trace
   * where it finds nothing, and would add to what is full.
   */
  readonly isSettled: boolean;

  constructor(message: string, subject: ErrorSubject, cause: unknown, isSettled = false) {
    super(message, subject, { cause, retryable: true });
    this.isSettled = isSettled;
  }
}

/** Whether a failed request of an owner that has nothing in the store can have left anything there. */
export function mayHaveLeftSomething(error: unknown): boolean {
  return !(error instanceof StoreFullError && error.isSettled);
}
