import type { ServerResponse } from 'node:http';
import { AcquireTimeoutError, ClosedError, EngineError } from '../../spi/errors.ts';
import type { Hold, Lock } from '../../spi/synchronizers.ts';

/** What the handler of a locked route gets besides request and response. */
export interface RouteSection {
  /** The hold: its fence goes with each write. */
  readonly hold: Hold;
  /** Aborts when the client of the request has gone away, or the hold is lost. */
  readonly signal: AbortSignal;
}

/** How a route waits for its lock, and what it answers without it. */
export interface RouteOptions {
  /** How long a request waits for the lock. Without it, it asks once. */
  readonly timeoutMs?: number;
  /** After how many seconds the client should ask again, in the header `Retry-After`: 1 without it. */
  readonly retryAfterSeconds?: number;
}

/** What a route answers if it did not get its lock. */
export interface Refusal {
  /** 409 if another owner has the lock, 503 if the store or this process cannot give it. */
  readonly status: 409 | 503;
  readonly retryAfter: string;
  readonly body: { readonly code: string };
}

/** The client has gone away while its request waited: nothing is left to answer. */
export const CLIENT_GONE = Symbol('client gone');

/**
 * Runs the section of a request under a lock, or says what to answer instead. The lock is released when the section has settled,
 * also after the client has gone: the response says nothing about whether the code still writes.
 */
export async function runLocked<T>(
  lock: Lock,
  response: ServerResponse,
  section: (section: RouteSection) => T | PromiseLike<T>,
  { timeoutMs = 0, retryAfterSeconds = 1 }: RouteOptions = {},
): Promise<{ readonly done: T } | { readonly refused: Refusal | typeof CLIENT_GONE }> {
  const gone = new AbortController();
  const leave = (): void => {
    if (!response.writableFinished) gone.abort(CLIENT_GONE);
  };
  // The connection may have ended before: no listener hears of that.
  if (response.closed || response.destroyed) leave();
  response.once('close', leave);
  let isInside = false;
  try {
    const done = await lock.run(
      (hold) => {
        isInside = true;
        return section({ hold, signal: AbortSignal.any([gone.signal, hold.lost]) });
      },
      { timeoutMs, signal: gone.signal },
    );
    return { done };
  } catch (error) {
    if (isInside) throw error;
    if (error === CLIENT_GONE) return { refused: CLIENT_GONE };
    return { refused: refusalOf(error, retryAfterSeconds) };
  } finally {
    response.off('close', leave);
  }
}

/** Rethrows what is no reason of a lock. */
function refusalOf(error: unknown, retryAfterSeconds: number): Refusal {
  const isBusy = error instanceof AcquireTimeoutError;
  if (!isBusy && !(error instanceof EngineError) && !(error instanceof ClosedError)) throw error;
  return { status: isBusy ? 409 : 503, retryAfter: String(retryAfterSeconds), body: { code: error.code } };
}
