import { StoreFullError } from '../../../core/failures/store-full-error.ts';
import { EngineError } from '../../../spi/errors.ts';

/** Whether a request that failed may have been carried out: the connection broke before its answer. A full store has answered. */
export function isUnknown(error: unknown): boolean {
  return error instanceof EngineError && error.retryable && !(error instanceof StoreFullError);
}
