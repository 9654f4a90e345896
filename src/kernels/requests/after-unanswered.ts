import { RefusedError } from '../../core/failures/refused-error.ts';
import { StoreFullError } from '../../core/failures/store-full-error.ts';
import { EngineError, ForeignStateError } from '../../spi/errors.ts';

/** Ends what a caller hears of a refusal that says nothing about an earlier copy. */
export const EARLIER_COPY_UNKNOWN =
  'An earlier copy of the request was not answered: whether it happened is not known.';

/**
 * The final error of the last of several copies. The tempting alternative passes the error on as it is: a refusal tells its
 * caller that nothing was done, but an earlier copy may have been carried out before the store began to refuse (soundness 3).
 */
export function afterUnanswered(error: Error): Error {
  const { message, cause } = error;
  const text = `${message} ${EARLIER_COPY_UNKNOWN}`;
  if (error instanceof ForeignStateError) return new ForeignStateError(text, error, { cause });
  if (!(error instanceof EngineError)) return error;
  // An earlier copy may have found room: its caller must not wait for room, but look.
  if (error instanceof StoreFullError)
    return new RefusedError(text, error, { cause: error, retryable: true });
  const Same = error instanceof RefusedError ? RefusedError : EngineError;
  return new Same(text, error, { cause, retryable: error.retryable });
}
