import { clockFinding } from '../../kernels/requests/clock-offset.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { Finding } from '../../spi/engine/finding.ts';
import { openDatabase } from '../sql/clients/open-database.ts';
import type { SqlClient, SqlValue } from '../sql/sql-client.ts';

/** Finds out whether a MySQL or MariaDB is fit to keep locks. Reads, and changes nothing. */
export async function* checkUp(url: string): AsyncGenerator<Finding, void, undefined> {
  const sql = await openDatabase('mysql', url);
  try {
    yield {
      level: 'good',
      about: 'reachable',
      found: String((await queryOne(sql, 'select database()')) ?? 'no database chosen'),
    };
    yield { level: 'good', about: 'version', found: String(await queryOne(sql, 'select version()')) };
    yield await clockFinding(systemClock, async () =>
      Number(await queryOne(sql, 'select unix_timestamp(sysdate(6)) * 1000')),
    );
    yield await checkWritable(sql);
    yield await checkDurability(sql);
    yield {
      level: 'note',
      about: 'messages',
      found: 'MySQL and MariaDB have no notifications, so waiters poll',
    };
  } finally {
    await sql.close();
  }
}

async function queryOne(sql: SqlClient, text: string): Promise<SqlValue | undefined> {
  return (await sql.query(text, [])).rows[0]?.[0];
}

async function checkWritable(sql: SqlClient): Promise<Finding> {
  const about = 'replication';
  if (Number(await queryOne(sql, 'select @@global.read_only')) === 0)
    return { level: 'good', about, found: 'takes writes' };
  return {
    level: 'bad',
    about,
    found: 'the server is read-only, as replicas are',
    advice: 'Give the address of the primary.',
  };
}

async function checkDurability(sql: SqlClient): Promise<Finding> {
  const about = 'durability';
  const flush = Number(await queryOne(sql, 'select @@global.innodb_flush_log_at_trx_commit'));
  if (flush === 1)
    return { level: 'good', about, found: 'each commit is on disk: a confirmed grant survives a crash' };
  return {
    level: 'note',
    about,
    found: `innodb_flush_log_at_trx_commit is ${flush}: a crash can forget the grants of the last second`,
    advice: 'Set it to 1, or refuse late writers by the fence.',
  };
}
