import { inTime } from '../../../../core/async/in-time.ts';
import { systemClock } from '../../../../core/time/clock.ts';
import { selectConnection } from '../connection-on-server.ts';
import type { MariadbConnection, MariadbPool } from './mariadb-client.ts';
import { type MariadbSocket, socketOf } from './mariadb-internals.ts';

/** How long an interrupted statement may take to end, and each step of ending it in the server. */
const PATIENCE_MS = 2_000;

/**
 * Closes a connection instead of giving it back to its pool.
 *
 * The tempting alternative calls `destroy` at once. While a statement is under way mariadb's `destroy` sends `kill` over a
 * connection that it opens for that, and no caller can handle the rejection if the server refuses: the process ends. The race: the
 * thread ends by itself in between, or the address leads to another server by now, which does not have the number, or whose
 * number belongs to a stranger. So discarding waits for the end of the statement, which was interrupted before; where none comes, it
 * closes the socket first, which fails the statement in the client, and then looks for the thread in the server.
 */
export async function discardMariadb(
  pool: MariadbPool,
  connection: MariadbConnection,
  last: Promise<unknown> | undefined,
): Promise<void> {
  connection.on('error', () => undefined);
  const abandoned = last === undefined || (await hasEnded(last)) ? undefined : socketOf(connection);
  if (abandoned === undefined) return connection.destroy();
  const { threadId } = connection;
  const { localPort } = abandoned;
  await close(connection, abandoned, last!);
  if (typeof threadId === 'number') await killIfThere(pool, threadId, localPort).catch(() => undefined);
}

/** `destroy` then only tells the pool that it may open another one: the connection knows by its socket that it is closed. */
async function close(
  connection: MariadbConnection,
  socket: MariadbSocket,
  last: Promise<unknown>,
): Promise<void> {
  socket.destroy(new Error('the client gave up waiting for a statement and closed its connection'));
  await hasEnded(last);
  connection.destroy();
}

/** A server thread that waits for a lock does not look at its connection, and would stay until the lock is free. */
async function killIfThere(
  pool: MariadbPool,
  threadId: number,
  localPort: number | undefined,
): Promise<void> {
  const killer = await pool.getConnection();
  let last: Promise<unknown> | undefined;
  const run = (sql: string): Promise<unknown> => {
    last = killer.query({ sql, rowsAsArray: true, metaAsArray: false });
    return inTime(systemClock, last, PATIENCE_MS, false);
  };
  try {
    const found = await run(selectConnection(threadId, localPort));
    if (Array.isArray(found) && found.length > 0) await run(`kill ${threadId}`);
    await killer.release();
  } catch {
    // Its own thread needs no end: the two statements wait for no lock.
    killer.on('error', () => undefined);
    const socket = last !== undefined && !(await hasEnded(last, 0)) ? socketOf(killer) : undefined;
    if (socket === undefined) killer.destroy();
    else await close(killer, socket, last!);
  }
}

/** Whether the statement ends in time, with whatever outcome. */
async function hasEnded(statement: Promise<unknown>, patienceMs = PATIENCE_MS): Promise<boolean> {
  const ended = statement.then(
    () => true,
    () => true,
  );
  return inTime(systemClock, ended, patienceMs, false).catch(() => false);
}
