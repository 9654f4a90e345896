import { EngineError } from '../../../spi/errors.ts';

/** The user's client has not been connected, or was closed before the engine was. Trying again would change nothing. */
export function notOpen(): EngineError {
  return new EngineError(
    'redis: the client is not open. Call `await client.connect()` before the engine is used, and close the engine before the client.',
    { resource: 'client', engine: 'redis' },
    { retryable: false },
  );
}
