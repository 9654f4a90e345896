import { RefusedError } from '../../core/acquire/refused-error.ts';
import { StoreFullError } from '../../core/acquire/store-full-error.ts';
import { EngineError } from '../../spi/errors.ts';

/** To be added to what refuses the last of several copies. */
export const EARLIER_COPY_UNKNOWN =
  'An earlier copy of the request was not answered: whether it happened is not known.';

/**
 * The final error of the last of several copies. The tempting alternative is to pass it on as it is: to its caller a refusal
 * means that nothing was done, but an earlier copy may have been carried out before the store began to refuse (soundness 3).
 */
export function afterUnanswered(error: EngineError): EngineError {
  const { message, cause, retryable } = error;
  if (message.endsWith(EARLIER_COPY_UNKNOWN)) return error;
  const Same = error instanceof RefusedError ? RefusedError : EngineError;
  return new Same(`${message} ${EARLIER_COPY_UNKNOWN}`, error, { cause, retryable });
}

/** The store has refused a request of which no earlier copy may have been carried out: it has certainly done nothing. */
export function isCertainRefusal(error: unknown): boolean {
  if (error instanceof StoreFullError) return true;
  return error instanceof RefusedError && !error.message.endsWith(EARLIER_COPY_UNKNOWN);
}
