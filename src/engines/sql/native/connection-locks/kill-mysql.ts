import { inTime } from '../../../../core/async/in-time.ts';
import type { SqlResult, SqlValue } from '../../sql-client.ts';
import type { Statement } from '../../dialects/dialect.ts';
import { sessionInTime } from '../../session-in-time.ts';
import type { SessionParts } from '../native-parts.ts';
import type { LockConnection } from './session-lock-kind.ts';

/**
 * Ends a connection that waits for a lock, if this server has it: the number alone may belong to another client by now.
 */
export async function interruptMysql(
  parts: SessionParts,
  { serverId, seenAs }: LockConnection,
): Promise<void> {
  if (serverId === undefined || seenAs === undefined) return;
  const text = 'select id from information_schema.processlist where id = ? and host = ?';
  await killIf(parts, serverId, { text, values: [Number(serverId), seenAs] });
}

/** Ends the connection that holds a named lock, by the server's name of it, if this very server says that it does. */
export async function terminateMysql(parts: SessionParts, serverId: string, lock: string): Promise<void> {
  const text = 'select id from (select is_used_lock(?) as id) as holder where id = ?';
  await killIf(parts, serverId, { text, values: [lock, Number(serverId)] });
}

/**
 * Asks and kills on one connection, so that both statements reach one server. The tempting alternative sends `kill` by
 * any connection of the pool: behind a proxy, or after a failover, that leads to another server, where the number
 * belongs to a stranger.
 */
async function killIf(parts: SessionParts, serverId: string, proof: Statement): Promise<void> {
  const { client, commandTimeoutMs } = parts;
  const session = await sessionInTime(client.clock, parts.openSession(), commandTimeoutMs);
  // Closes a connection that does not answer; the pool would have one less otherwise.
  const run = (text: string, values: readonly SqlValue[]): Promise<SqlResult> =>
    inTime(client.clock, session.query(text, values), commandTimeoutMs);
  let how: 'reuse' | 'discard' = 'discard';
  try {
    const [found] = (await run(proof.text, proof.values)).rows;
    // The number is part of the text: `kill` takes no parameter.
    if (found !== undefined) await run(`kill ${Math.trunc(Number(serverId))}`, []);
    how = 'reuse';
  } finally {
    await session.end(how);
  }
}
