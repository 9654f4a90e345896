import { inTime } from '../../../../core/async/in-time.ts';
import type { SqlResult, SqlValue } from '../../sql-client.ts';
import type { Statement } from '../../dialects/dialect.ts';
import { sessionInTime } from '../../session-in-time.ts';
import { lockName } from '../table-locks/lock-name.ts';
import type { SessionParts } from '../native-parts.ts';
import type { LockConnection } from './session-lock-kind.ts';

/** Ends a connection that waits for a lock, if this server has it: the number alone may be of another client by now. */
export async function interruptMysql(
  parts: SessionParts,
  { serverId, seenAs }: LockConnection,
): Promise<void> {
  if (serverId === undefined || seenAs === undefined) return;
  const text = 'select id from information_schema.processlist where id = ? and host = ?';
  await killIf(parts, serverId, { text, values: [Number(serverId), seenAs] });
}

/** Ends the connection that holds a named lock, if it is this server that says so. */
export async function terminateMysql(parts: SessionParts, serverId: string, name: string): Promise<void> {
  const text = 'select id from (select is_used_lock(?) as id) as holder where id = ?';
  await killIf(parts, serverId, { text, values: [lockName(name), Number(serverId)] });
}

/**
 * Asks and kills on one connection, so that both reach one server. The tempting alternative sends `kill` by any connection
 * of the pool. Behind a proxy, or after a failover, that leads to another server, where the number is that of a stranger.
 */
async function killIf(parts: SessionParts, serverId: string, proof: Statement): Promise<void> {
  const { client, commandTimeoutMs } = parts;
  const session = await sessionInTime(client.clock, parts.session(), commandTimeoutMs);
  // A connection that does not answer is closed: the pool would have one less.
  const run = (text: string, values: readonly SqlValue[]): Promise<SqlResult> =>
    inTime(client.clock, session.query(text, values), commandTimeoutMs);
  let how: 'reuse' | 'discard' = 'discard';
  try {
    const [found] = (await run(proof.text, proof.values)).rows;
    // By number and not by parameter: it takes none.
    if (found !== undefined) await run(`kill ${Math.trunc(Number(serverId))}`, []);
    how = 'reuse';
  } finally {
    await session.end(how);
  }
}
