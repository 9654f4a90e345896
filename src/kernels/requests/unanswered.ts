import { NoAnswerError } from '../../core/async/in-time.ts';
import { EngineError, type ErrorSubject } from '../../spi/errors.ts';
import { isError } from '../../spi/is-error.ts';

/**
 * What the caller of a request hears that no copy was answered, in the same words for every verb of every engine.
 * `mayBeDone`: a copy may have been carried out. A request that no copy of has left this process has certainly done
 * nothing, and its caller need not look before it tries again.
 */
export function unanswered(
  subject: ErrorSubject,
  cause: unknown,
  mayBeDone: boolean,
  withinMs: number,
): EngineError {
  // That nothing came in time says no more than the sentence itself.
  const why = isError(cause) && !(cause instanceof NoAnswerError) ? ` (${cause.message})` : '';
  const what = mayBeDone ? 'whether it happened is not known' : 'nothing was done';
  return new EngineError(
    `${subject.resource}: ${subject.engine} did not answer within ${withinMs} ms${why}; ${what}. Check that the store can be reached, then try again.`,
    subject,
    { cause, retryable: true },
  );
}
