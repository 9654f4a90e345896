import { EngineError } from '../../../spi/errors.ts';
import type { RedisDriver } from '../driver.ts';
import type { Emitter } from './subscriptions/listening.ts';

/** The connections that a driver has opened, and has to close. */
export class OpenedConnections {
  readonly #closers = new Set<() => void | Promise<void>>();
  readonly #closing = new AbortController();

  /** Aborts when the driver closes: not every client rejects the calls that wait for it to be ready. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Returns how to remove it again, for a caller that has closed it or handed it on. */
  add(close: () => void | Promise<void>): () => void {
    this.#closers.add(close);
    return () => this.#closers.delete(close);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The driver was closed.'));
    await Promise.allSettled([...this.#closers].map(async (close) => close()));
  }
}

/** A client of our own that is connecting. */
export interface Opening {
  /** The emitter of errors while it connects. */
  readonly emitter: Emitter;
  connect(): Promise<RedisDriver>;
  /** Leaves nothing behind. */
  abandon(): Promise<void> | void;
}

const FIRST_MS = 50;
const LONGEST_MS = 2_000;

/**
 * The pause of one of our own connections before it retries. It retries without limit: a waiter whose connection for
 * messages has stopped would silently miss every message.
 */
export function reconnectDelayMs(attempt: number): number {
  return Math.min(FIRST_MS * 2 ** Math.min(attempt, 10), LONGEST_MS);
}

/** The user has not connected the client, or closed it before the engine. A repetition cannot succeed. */
export function notOpen(): EngineError {
  return new EngineError(
    'redis: the client is not open. Call `await client.connect()` before the engine is used, and close the engine before the client.',
    { resource: 'client', engine: 'redis' },
    { retryable: false },
  );
}
