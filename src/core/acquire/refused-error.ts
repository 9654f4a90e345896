import { EngineError } from '../../spi/errors.ts';

/**
 * The store has answered with a refusal, and would answer the same if it were asked again at once. To callers an
 * {@link EngineError} like any other.
 */
export class RefusedError extends EngineError {
  constructor(...args: ConstructorParameters<typeof EngineError>) {
    super(...args);
    Object.defineProperty(this, 'name', { value: 'EngineError' });
  }
}
