import { expect, test } from 'vitest';
import type { SqlClient, SqlSession } from '../../../src/engines/sql/sql-client.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { failureOf, newTable } from './statement-cases.ts';

/** What the two kinds of servers call the same things. */
export interface SessionDialect {
  readonly ownId: string;
  readonly end: (id: string) => string;
  readonly begin: string;
  readonly sleep: string;
  /** Keeps all others from what is in a table, until the connection ends. */
  readonly lockTable: (table: string) => string;
  /** How many wait for that in the server. */
  readonly waiting: string;
  readonly key: string;
  readonly parameter: string;
}

export const postgresSessions: SessionDialect = {
  ownId: 'select pg_backend_pid()',
  end: (id) => `select pg_terminate_backend(${id})`,
  begin: 'begin',
  sleep: 'select pg_sleep(60)',
  lockTable: (table) => `begin; lock table ${table} in access exclusive mode`,
  waiting: `select count(*) from pg_stat_activity where wait_event_type = 'Lock'`,
  key: 'int primary key, n int',
  parameter: '$1',
};

export const mysqlSessions: SessionDialect = {
  ownId: 'select connection_id()',
  end: (id) => `kill ${id}`,
  begin: 'start transaction',
  sleep: 'select sleep(60)',
  // A row: while it waits for a table, MariaDB looks from time to time whether the client is still there.
  lockTable: (table) => `begin not atomic start transaction; update ${table} set id = 2; end`,
  waiting: `select count(*) from information_schema.processlist where info like 'select id from % for update'`,
  key: 'int primary key, n int',
  parameter: '?',
};

async function idOf(session: SqlSession, dialect: SessionDialect): Promise<string> {
  return String((await session.query(dialect.ownId, [])).rows[0]![0]);
}

/** What a connection of one's own does, whichever client it comes from. */
export function sessionCases(dialect: SessionDialect, open: (most?: number) => SqlClient): void {
  test('is one connection, and another is another', async () => {
    const client = open();
    const one = await client.openSession!();
    const other = await client.openSession!();
    const id = await idOf(one, dialect);
    expect(await idOf(one, dialect)).toBe(id);
    expect(await idOf(other, dialect)).not.toBe(id);
    await one.end('reuse');
    await other.end('reuse');
    await expect(one.query('select 1', [])).rejects.toThrow('given back');
  });

  test('goes back to the pool, or is closed', async () => {
    const client = open(1);
    const first = await client.openSession!();
    const id = await idOf(first, dialect);
    await first.end('reuse');
    const second = await client.openSession!();
    expect(await idOf(second, dialect)).toBe(id);
    await second.end('discard');
    const third = await client.openSession!();
    expect(await idOf(third, dialect)).not.toBe(id);
    await third.end('reuse');
  });

  test('has transactions of its own', async () => {
    const client = open();
    const table = newTable();
    await client.query(`create table ${table} (id ${dialect.key})`, []);
    const session = await client.openSession!();
    await session.query(dialect.begin, []);
    await session.query(`insert into ${table} values (${dialect.parameter}, 1)`, [1]);
    expect((await client.query(`select id from ${table}`, [])).rows).toEqual([]);
    await session.query('rollback', []);
    expect((await session.query(`select id from ${table}`, [])).rows).toEqual([]);
    await session.end('reuse');
    await client.query(`drop table ${table}`, []);
  });

  test('tells once that it has broken, and stays broken', async () => {
    const client = open();
    const session = await client.openSession!();
    const told: unknown[] = [];
    session.onBroken((reason) => told.push(reason));
    await client.query(dialect.end(await idOf(session, dialect)), []);
    await waitFor('the session knows', () => told.length > 0);
    expect(await failureOf(client, session.query('select 1', []))).toBe('unreachable');
    // A listener that comes late is called as well.
    session.onBroken((reason) => told.push(reason));
    await waitFor('the second one knows', () => told.length === 2);
    await session.end('reuse');
    expect((await client.query('select 1', [])).rows).toHaveLength(1);
  });

  test('does not know what became of a statement when it breaks meanwhile', async () => {
    const client = open();
    const session = await client.openSession!();
    const id = await idOf(session, dialect);
    const failing = failureOf(client, session.query(dialect.sleep, []));
    await client.query(dialect.end(id), []);
    expect(await failing).toBe('unknown');
    await session.end('discard');
  });

  test('closed while a statement waits for a lock ends that in the server, too', async () => {
    const client = open();
    const table = newTable();
    await client.query(`create table ${table} (id int)`, []);
    await client.query(`insert into ${table} values (1)`, []);
    const blocker = await client.openSession!();
    await blocker.query(dialect.lockTable(table), []);
    const session = await client.openSession!();
    const failing = failureOf(client, session.query(`select id from ${table} for update`, []));
    const waiting = async (): Promise<number> =>
      Number((await client.query(dialect.waiting, [])).rows[0]![0]);
    await waitFor('it waits in the server', async () => (await waiting()) === 1, 20_000);
    await session.end('discard');
    expect(await failing).not.toBe('none');
    await waitFor('the server has ended it', async () => (await waiting()) === 0, 20_000);
    await blocker.end('discard');
    await client.query(`drop table ${table}`, []);
  }, 60_000);

  test('rejects with a deadlock, which is retryable', async () => {
    const client = open();
    const table = newTable();
    await client.query(`create table ${table} (id ${dialect.key})`, []);
    await client.query(`insert into ${table} values (1, 0), (2, 0)`, []);
    const sessions = await Promise.all([client.openSession!(), client.openSession!()]);
    const update = (session: SqlSession, id: number) =>
      session.query(`update ${table} set n = n + 1 where id = ${dialect.parameter}`, [id]);
    await Promise.all(sessions.map((session) => session.query(dialect.begin, [])));
    await update(sessions[0], 1);
    await update(sessions[1], 2);
    const outcomes = await Promise.all([
      failureOf(client, update(sessions[0], 2)),
      // The second one goes on as soon as the first has been undone, and the other way round.
      failureOf(client, update(sessions[1], 1)).then(async (outcome) => {
        await sessions[1].query('rollback', []);
        return outcome;
      }),
    ]);
    expect(outcomes.toSorted()).toEqual(['again', 'none']);
    await sessions[0].query('rollback', []);
    await Promise.all(sessions.map((session) => session.end('reuse')));
    await client.query(`drop table ${table}`, []);
  });
}
