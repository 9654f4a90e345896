import { systemClock } from '../../../../core/time/clock.ts';
import { selectConnection } from '../connection-on-server.ts';

/** How long the server may take. */
const PATIENCE_MS = 10_000;

/** What a connection of mysql2 shows of itself, and what can open another one to the same server. */
export interface KillableConnection {
  readonly threadId?: number | null;
  readonly config?: object;
  readonly stream?: {
    /** Missing on a socket of the file system. */
    readonly localPort?: number | undefined;
    /** Missing on a stream of the user's that is no socket. */
    destroy?(error: Error): unknown;
  };
}

interface Killer {
  on(event: 'error', listener: () => void): unknown;
  query(text: string, done: (error: unknown, rows: unknown) => void): unknown;
  destroy(): void;
}

/**
 * Kills a connection in the server, by another connection that is opened only for that. To close it is not enough: a
 * server thread that waits for a lock does not look at its connection, and stays until the lock is free. A connection
 * of the pool will not do: all of them may wait for the same lock.
 *
 * The tempting alternative sends `kill` at once, because a server does not reuse numbers of connections while it runs.
 * But the address may lead to another server by now, behind a proxy or after a failover, where the number belongs to a
 * stranger. So the server is asked first whether it has this number, from this user, address and port.
 */
export function killMysql2({ threadId, config, stream, constructor }: KillableConnection): void {
  // The class of a pool's connection extends that of a plain one.
  const plain: unknown = Object.getPrototypeOf(constructor);
  if (typeof threadId !== 'number' || config === undefined || !isKillerClass(plain)) return;
  const killer = new plain({ config });
  const late = systemClock.timer(PATIENCE_MS, () => killer.destroy());
  const over = (): void => {
    late.cancel();
    killer.destroy();
  };
  // The server cannot be reached any more, or the thread has ended by itself.
  killer.on('error', over);
  killer.query(selectConnection(threadId, stream?.localPort), (_error, rows) => {
    if (Array.isArray(rows) && rows.length > 0) killer.query(`kill ${threadId}`, over);
    else over();
  });
}

function isKillerClass(found: unknown): found is new (options: { readonly config: object }) => Killer {
  return (
    typeof found === 'function' &&
    typeof (found.prototype as { query?: unknown } | undefined)?.query === 'function'
  );
}
