import { systemClock } from '../../../core/time/clock.ts';

/** So long the server may take to do it. */
const PATIENCE_MS = 10_000;

/** What a connection of mysql2 shows of itself, and what can open another one to the same server. */
export interface KillableConnection {
  readonly threadId?: number | null;
  readonly config?: object;
}

interface Killer {
  on(event: 'error', listener: () => void): unknown;
  query(text: string, done: () => void): unknown;
  destroy(): void;
}

/**
 * Ends a connection in the server, by another one that is opened for nothing but that. To close it is not enough: a thread
 * that waits for a lock does not look at its connection, and stays until the lock is free. A connection of the pool will not
 * do: all of them may wait for the same lock. The numbers of connections are not used again while the server runs.
 */
export function killMysql2(connection: KillableConnection): void {
  const { threadId, config } = connection;
  // That of a pool is made of the plain one.
  const plain: unknown = Object.getPrototypeOf(connection.constructor);
  if (typeof threadId !== 'number' || config === undefined || !isKillerClass(plain)) return;
  const killer = new plain({ config });
  const late = systemClock.timer(PATIENCE_MS, () => killer.destroy());
  const over = (): void => {
    late.cancel();
    killer.destroy();
  };
  // A server that is not reachable any more, or a thread that has ended by itself.
  killer.on('error', over);
  killer.query(`kill ${threadId}`, over);
}

function isKillerClass(found: unknown): found is new (options: { readonly config: object }) => Killer {
  return (
    typeof found === 'function' &&
    typeof (found.prototype as { query?: unknown } | undefined)?.query === 'function'
  );
}
