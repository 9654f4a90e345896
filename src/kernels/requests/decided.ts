import { RefusedError } from '../../core/failures/refused-error.ts';
import { StoreFullError } from '../../core/failures/store-full-error.ts';
import { EngineError, isHoldfastError } from '../../spi/errors.ts';

/** The store has answered, and would answer a copy the same way: a name in use for something else, a missing permission. */
export function isAnswer(error: unknown): boolean {
  return error instanceof EngineError
    ? error instanceof RefusedError || error instanceof StoreFullError
    : isHoldfastError(error);
}

/**
 * Another copy would fail the same way. That need not be an answer of the store: the user has closed the client, and what
 * calls in line know of the store stays as it is.
 */
export function isDecided(error: unknown): boolean {
  return isAnswer(error) || (error instanceof EngineError && !error.retryable);
}
