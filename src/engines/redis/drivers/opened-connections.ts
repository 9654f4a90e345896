import { EngineError } from '../../../spi/errors.ts';
import type { RedisDriver } from '../driver.ts';
import type { Emitter } from './subscriptions/listening.ts';

/** What a driver has opened itself, and so has to close. */
export class OpenedConnections {
  readonly #closers = new Set<() => void | Promise<void>>();
  readonly #closing = new AbortController();

  /** Aborts when it is closed: not every client tells those who wait for it that it will not be ready any more. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Returns how to let go of it again, for whoever has closed it or given it away. */
  add(close: () => void | Promise<void>): () => void {
    this.#closers.add(close);
    return () => this.#closers.delete(close);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The driver was closed.'));
    await Promise.allSettled([...this.#closers].map(async (close) => close()));
  }
}

/** A client of our own on its way to a server. */
export interface Opening {
  /** Whoever tells of errors on the way. */
  readonly emitter: Emitter;
  connect(): Promise<RedisDriver>;
  /** Leaves nothing behind. */
  abandon(): Promise<void> | void;
}

const FIRST_MS = 50;
const LONGEST_MS = 2_000;

/**
 * How long one of our own connections waits before it tries again. It never gives up: a waiter whose connection for
 * messages had given up would notice nothing any more, and say nothing about it.
 */
export function reconnectDelayMs(attempt: number): number {
  return Math.min(FIRST_MS * 2 ** Math.min(attempt, 10), LONGEST_MS);
}

/** The user's client has not been connected, or was closed before the engine was. Trying again would change nothing. */
export function notOpen(): EngineError {
  return new EngineError(
    'redis: the client is not open. Call `await client.connect()` before the engine is used, and close the engine before the client.',
    { resource: 'client', engine: 'redis' },
    { retryable: false },
  );
}
