import { EngineError } from '../../spi/errors.ts';

/**
 * The store has answered, and the request failed all the same: the store is not silent, whatever is known of the outcome. To
 * callers an {@link EngineError} like any other.
 */
export class AnsweredError extends EngineError {
  constructor(...args: ConstructorParameters<typeof EngineError>) {
    super(...args);
    Object.defineProperty(this, 'name', { value: 'EngineError' });
  }
}
