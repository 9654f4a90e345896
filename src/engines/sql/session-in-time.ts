import { inTime, NoAnswerError } from '../../core/async/in-time.ts';
import type { Clock } from '../../spi/clock.ts';
import { SqlError } from './clients/errors/sql-error.ts';
import type { SqlSession } from './sql-client.ts';

/**
 * Borrows a connection of the pool, if one is free in time. No pool lets a waiting borrower withdraw: a connection that
 * comes too late goes back to the pool at once, or the pool would have one less.
 */
export async function sessionInTime(
  clock: Clock,
  opening: Promise<SqlSession>,
  timeoutMs: number,
): Promise<SqlSession> {
  try {
    return await inTime(clock, opening, timeoutMs);
  } catch (error) {
    void opening.then(
      (late) => late.end('reuse'),
      () => undefined,
    );
    throw error instanceof NoAnswerError ? noFreeConnection(timeoutMs) : error;
  }
}

export function noFreeConnection(timeoutMs: number): SqlError {
  return new SqlError(
    `the pool had no free connection within ${timeoutMs} ms. Nothing was sent; give the pool more connections, or use fewer at the same time`,
    'unreachable',
    undefined,
  );
}
