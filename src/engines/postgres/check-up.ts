import { clockFinding } from '../../kernels/requests/clock-offset.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { Finding } from '../../spi/engine/finding.ts';
import { openDatabase } from '../sql/clients/open-database.ts';
import type { SqlClient, SqlSession, SqlValue } from '../sql/sql-client.ts';
import { isError } from '../../spi/is-error.ts';

/** Finds out whether a PostgreSQL is fit to keep locks. Reads, and changes nothing. */
export async function* checkUp(url: string): AsyncGenerator<Finding, void, undefined> {
  const sql = await openDatabase('postgres', url);
  try {
    yield {
      level: 'good',
      about: 'reachable',
      found: String(await queryOne(sql, 'select current_database()')),
    };
    yield versionFinding(Number(await queryOne(sql, 'show server_version_num')));
    yield await clockFinding(systemClock, async () =>
      Number(await queryOne(sql, 'select extract(epoch from clock_timestamp()) * 1000')),
    );
    if ((await queryOne(sql, 'select pg_is_in_recovery()')) === true)
      yield {
        level: 'bad',
        about: 'replication',
        found: 'this is a standby: it takes no writes',
        advice: 'Give the address of the primary; with several hosts add target_session_attrs=read-write.',
      };
    yield* checkDurability(sql);
    yield await checkPooler(sql);
    yield await checkMessages(sql);
  } finally {
    await sql.close();
  }
}

async function queryOne(sql: Pick<SqlSession, 'query'>, text: string): Promise<SqlValue | undefined> {
  return (await sql.query(text, [])).rows[0]?.[0];
}

function versionFinding(number: number): Finding {
  const found = `PostgreSQL ${Math.floor(number / 10_000)}.${number % 10_000}`;
  if (number >= 130_000) return { level: 'good', about: 'version', found };
  return {
    level: 'note',
    about: 'version',
    found,
    advice: 'Use 13 or newer: older versions are out of support, and not tested.',
  };
}

async function* checkDurability(sql: SqlClient): AsyncGenerator<Finding, void, undefined> {
  const commit = String(await queryOne(sql, 'show synchronous_commit'));
  if (commit === 'off')
    yield {
      level: 'note',
      about: 'durability',
      found: 'synchronous_commit is off: a crash of the server can forget a grant that was confirmed',
      advice: 'alter role … set synchronous_commit = on, for the user of the locks.',
    };
  else
    yield {
      level: 'good',
      about: 'durability',
      found: `synchronous_commit is ${commit}: a confirmed grant survives a crash`,
    };
  const standbys = await queryOne(sql, 'select count(*) from pg_stat_replication').catch(() => undefined);
  if (standbys === undefined) {
    yield { level: 'note', about: 'replication', found: 'cannot be seen by this user' };
  } else if (Number(standbys) === 0) {
    yield { level: 'good', about: 'replication', found: 'no standby: no failover that could lose a lock' };
  } else {
    const names = String(await queryOne(sql, 'show synchronous_standby_names'));
    const found = `${Number(standbys)} standby${Number(standbys) === 1 ? '' : 's'}`;
    if (names !== '') yield { level: 'good', about: 'replication', found: `${found}, synchronous: ${names}` };
    else
      yield {
        level: 'note',
        about: 'replication',
        found: `${found}, which follow a moment later: a failover can lose a lock that was just granted`,
        advice: 'Set synchronous_standby_names, or refuse late writers by the fence.',
      };
  }
}

/**
 * Opens a transaction on one of two connections. A pooler is in between if the transaction runs in the server process
 * that served the other connection, or if the other connection is then served by another process.
 */
async function checkPooler(sql: SqlClient): Promise<Finding> {
  const about = 'pooler';
  if (sql.openSession === undefined) return { level: 'note', about, found: 'not shown by this client' };
  const [first, second] = [await sql.openSession(), await sql.openSession()];
  try {
    const pid = await queryOne(first, 'select pg_backend_pid()');
    await second.query('begin', []);
    const inTransaction = await queryOne(second, 'select pg_backend_pid()');
    const again = await queryOne(first, 'select pg_backend_pid()');
    await second.query('rollback', []);
    const promised = first.serverPid;
    if (inTransaction !== pid && again === pid && (promised === undefined || promised === pid))
      return { level: 'good', about, found: 'none: each connection has a server process of its own' };
    return {
      level: 'note',
      about,
      found: 'a pooler gives each transaction another connection, as PgBouncer does in transaction mode',
      advice:
        'Locks work, but waiters poll, and advisory locks of a session are refused. A direct connection has neither limit.',
    };
  } finally {
    await Promise.allSettled([first.end('discard'), second.end('discard')]);
  }
}

async function checkMessages(sql: SqlClient): Promise<Finding> {
  const about = 'messages';
  const channel = 'holdfast_doctor';
  let stop: () => void = () => undefined;
  try {
    if (sql.listen === undefined) throw new Error('this client cannot listen');
    let heard: (arrived: boolean) => void = () => undefined;
    const arrived = new Promise<boolean>((resolve) => (heard = resolve));
    stop = await sql.listen(channel, (payload) => heard(payload !== undefined));
    const startedAt = systemClock.now();
    await sql.query('select pg_notify($1, $2)', [channel, 'x']);
    systemClock.timer(3_000, () => heard(false)).keepsAlive(true);
    if (!(await arrived)) throw new Error('nothing arrived within 3 s');
    return { level: 'good', about, found: `arrive after ${(systemClock.now() - startedAt).toFixed(1)} ms` };
  } catch (error) {
    return {
      level: 'note',
      about,
      found: `do not arrive: ${isError(error) ? error.message : String(error)}`,
      advice: 'Until they do, waiters poll. Connect without a pooler to receive notifications.',
    };
  } finally {
    stop();
  }
}
