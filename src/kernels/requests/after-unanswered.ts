import { RefusedError } from '../../core/acquire/refused-error.ts';

/** To be added to what refuses the last of several copies. */
export const EARLIER_COPY_UNKNOWN =
  'An earlier copy of the request was not answered: whether it happened is not known.';

/**
 * The refusal of the last of several copies. The tempting alternative is to pass it on as it is: to its caller a refusal means
 * that nothing was done, but an earlier copy may have been carried out before the store began to refuse (soundness 3).
 */
export function afterUnanswered(refusal: RefusedError): RefusedError {
  const { message, cause, retryable } = refusal;
  if (message.endsWith(EARLIER_COPY_UNKNOWN)) return refusal;
  return new RefusedError(`${message} ${EARLIER_COPY_UNKNOWN}`, refusal, { cause, retryable });
}
