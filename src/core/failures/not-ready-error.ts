import type { EngineError, ErrorSubject } from '../../spi/errors.ts';
import { isError } from '../../spi/is-error.ts';

/** The words for one caller. `mayBeDone`: an earlier copy of its request was not answered. */
export type ExplainNotReady = (subject: ErrorSubject, mayBeDone?: boolean) => EngineError;

/**
 * The store has answered that it cannot do it now, and has done nothing: another copy may go through in a moment. Carries
 * the words for a request that heard nothing else until its time was over.
 */
export class NotReadyError extends Error {
  readonly explain: ExplainNotReady;
  /** Another look is enough: a store that gives the same answer twice gives it until an operator changes its set-up. */
  readonly isLasting: boolean;

  constructor(cause: unknown, explain: ExplainNotReady, isLasting = false) {
    super(isError(cause) ? cause.message : String(cause), { cause });
    this.name = 'NotReadyError';
    this.explain = explain;
    this.isLasting = isLasting;
  }
}
