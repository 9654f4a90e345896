import {
  EngineError,
  type ErrorCode,
  isHoldfastError,
  LeaseLostError,
  SessionEndedError,
} from '../../spi/errors.ts';
import { AnsweredError } from './answered-error.ts';

/** What only an answer of the store leads to. */
const DECISIONS: ReadonlySet<ErrorCode> = new Set(['FOREIGN_STATE', 'UPGRADE_REFUSED', 'NOT_HELD']);

/**
 * Whether a failed request was answered: the store then owes nothing for it.
 *
 * The tempting rule is that a request which is over owes nothing. A request that broke, whose time ended or whose caller
 * gave up is over as well, and a line in which one head after the other fails like that would take an outage for contention.
 */
export function provesAnswer(error: unknown): boolean {
  if (error instanceof EngineError) return !error.retryable || isAnswer(error);
  // Every other loss is noticed by this process.
  if (error instanceof LeaseLostError) return error.reason === 'gone';
  return isHoldfastError(error) && DECISIONS.has(error.code);
}

/** A failure that is worth another try, and an answer all the same. */
function isAnswer(error: EngineError): boolean {
  return error instanceof AnsweredError || error instanceof SessionEndedError;
}
