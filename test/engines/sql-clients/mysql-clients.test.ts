import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SqlValue } from '../../../src/engines/sql/sql-client.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { type MariadbServer, startMariadb } from '../../fixtures/sql/mariadb-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import { mysqlPools } from './mysql-pools.ts';
import type { OpenClient, Opening } from './open-client.ts';
import { mysqlFunctions } from './query-builders.ts';
import { mysqlSessions, sessionCases } from './session-cases.ts';
import { failureOf, mysqlDialect, newTable, statementCases } from './statement-cases.ts';

const SLEEP = 'select sleep(120)';
const SLEEPING = `select id from information_schema.processlist where id = ? and info = '${SLEEP}'`;

describeWith('mariadb')('clients for MariaDB', () => {
  let server: MariadbServer;
  const open: OpenClient[] = [];
  beforeAll(async () => {
    server = await startMariadb();
  }, 60_000);
  afterAll(() => server?.stop());
  afterEach(async () => {
    await Promise.all(open.splice(0).map(({ end }) => end()));
  });

  function opened(opening: Opening, url = server.url, most?: number) {
    const one = opening(url, most);
    open.push(one);
    return one.client;
  }

  for (const [name, opening] of Object.entries(mysqlFunctions)) {
    describe(`${name}, by a function`, () => {
      statementCases(mysqlDialect, () => opened(opening));
    });
  }

  for (const [name, opening] of Object.entries(mysqlPools)) {
    describe(`${name}, by its pool`, () => {
      statementCases(mysqlDialect, () => opened(opening));
      sessionCases(mysqlSessions, (most) => opened(opening, server.url, most));

      test('reads numbers and bytes, and larger numbers and times as text', async () => {
        const client = opened(opening);
        const table = newTable();
        await client.query(
          `create table ${table} (a int, b bigint, c varbinary(9), d double, e datetime(6), f json, g tinyint(1))`,
          [],
        );
        await client.query(`insert into ${table} values (?, ?, ?, ?, ?, ?, ?)`, [
          1,
          2n ** 62n,
          Buffer.from([0, 255]),
          1.5,
          '2026-01-02 03:04:05.678901',
          '{"a": 1}',
          true,
        ]);
        const { rows } = await client.query(`select * from ${table} where a = ?`, [1]);
        expect(rows.map((row) => row.slice(0, 5))).toEqual([
          [1, '4611686018427387904', Buffer.from([0, 255]), 1.5, '2026-01-02 03:04:05.678901'],
        ]);
        // One client reads JSON and writes it again, whatever the server answers.
        expect(JSON.parse(String(rows[0]![5]))).toEqual({ a: 1 });
        expect(Number(rows[0]![6])).toBe(1);
        await client.query(`drop table ${table}`, []);
      });

      test('answers an update with the number it was asked for', async () => {
        const client = opened(opening);
        const table = newTable();
        await client.query(`create table ${table} (id int primary key, n bigint)`, []);
        await client.query(`insert into ${table} values (1, 41)`, []);
        const { changed, insertId } = await client.query(
          `update ${table} set n = last_insert_id(n + ?) where id = ?`,
          [1_763_190_000_000_000, 1],
        );
        expect([changed, Number(insertId)]).toEqual([1, 1_763_190_000_000_041]);
        await client.query(`drop table ${table}`, []);
      });

      test('says who may not do something, and that a server is read-only', async () => {
        const superuser = opened(opening);
        const table = newTable();
        await superuser.query(`create table ${table} (id int)`, []);
        await superuser.query(
          `create user if not exists 'odd ${table}'@'127.0.0.1' identified by 'word'`,
          [],
        );
        await superuser.query(
          `grant select on ${server.database}.${table} to 'odd ${table}'@'127.0.0.1'`,
          [],
        );
        const client = opened(opening, server.urlFor(`odd ${table}`, 'word'));
        expect(await failureOf(client, client.query(`insert into ${table} values (1)`, []))).toBe('denied');
        const session = await superuser.openSession!();
        await session.query('start transaction read only', []);
        expect(await failureOf(superuser, session.query(`insert into ${table} values (1)`, []))).toBe(
          'read-only',
        );
        await session.query('rollback', []);
        await session.end('reuse');
      });

      test.each([
        [1969, 'again'],
        [3024, 'again'],
        [1047, 'unreachable'],
        [1114, 'full'],
        [1021, 'full'],
        [1290, 'read-only'],
        [1836, 'read-only'],
      ])('judges what the server calls %s as %s', async (number, failure) => {
        const client = opened(opening);
        const raising = client.query(
          `begin not atomic signal sqlstate 'HY000' set mysql_errno = ${number}, message_text = 'as a test'; end`,
          [],
        );
        expect(await failureOf(client, raising)).toBe(failure);
      });

      test('says that the server ended a statement at its limit, and that a table is full', async () => {
        const client = opened(opening);
        const limited = 'set statement max_statement_time = 0.1 for select sleep(30)';
        expect(await failureOf(client, client.query(limited, []))).toBe('again');
        const table = newTable();
        await client.query(`create table ${table} (filling char(255)) engine = memory max_rows = 1`, []);
        const rows = `insert into ${table} select 'x' from seq_1_to_200000`;
        expect(await failureOf(client, client.query(rows, []))).toBe('full');
        await client.query(`drop table ${table}`, []);
      });

      test('goes to another connection after one that takes no writes', async () => {
        const client = opened(opening, server.url, 1);
        const before = (await client.query('select connection_id()', [])).rows;
        const table = newTable();
        await client.query(`create table ${table} (id int)`, []);
        await client.query('set session transaction read only', []);
        expect(await failureOf(client, client.query(`insert into ${table} values (1)`, []))).toBe(
          'read-only',
        );
        await client.query(`insert into ${table} values (1)`, []);
        expect((await client.query('select connection_id()', [])).rows).not.toEqual(before);
      });

      test('never tells a password or a value', async () => {
        const client = opened(opening, server.urlFor(server.user, 'not-the-password'));
        const wrong = await client.query('select ?', ['a value']).catch((error: unknown) => error);
        expect(['denied', 'unreachable']).toContain(client.failure(wrong));
        const direct = opened(opening);
        const failed = await direct
          .query('select ? from no_such_table', ['a value'])
          .catch((error: unknown) => error);
        for (const error of [wrong, failed]) {
          const { message, stack } = error as Error;
          const told = `${message} ${stack} ${JSON.stringify(error)} ${JSON.stringify(Object.getOwnPropertyDescriptors(error))}`;
          expect(told).not.toContain('not-the-password');
          expect(told).not.toContain(server.password);
          expect(told).not.toContain('a value');
        }
      }, 30_000);

      test.each(['ours', "the user's"])(
        'closes a connection with a statement of %s under way, and lets the pool end that was ended before',
        async (whose) => {
          const pool = opening(server.url, 1);
          const session = await pool.client.openSession!();
          const [[id]] = (await session.query('select connection_id()', [])).rows as [[SqlValue]];
          const native = session.native as { query(text: string): Promise<unknown> };
          const sent: Promise<unknown> = whose === 'ours' ? session.query(SLEEP, []) : native.query(SLEEP);
          const outcome = sent.then(
            () => 'answered',
            () => 'failed',
          );
          const admin = opened(opening);
          await waitFor('it is under way', async () => (await admin.query(SLEEPING, [id])).rows.length > 0);
          const settled = pool.end().catch(() => undefined);
          // The pool has put its farewell behind the statement.
          await new Promise(setImmediate);
          await session.end('discard');
          expect(await outcome).toBe('failed');
          await settled;
        },
        30_000,
      );

      test('notices when the server is down, and goes on when it is back', async () => {
        await using own = await startMariadb();
        const client = opened(opening, own.url);
        await client.query('select 1', []);
        await own.kill();
        await waitFor(
          'it cannot be reached',
          async () => (await failureOf(client, client.query('select 1', []))) === 'unreachable',
          30_000,
        );
        await own.restart();
        const reached = () => client.query('select 1', []);
        expect((await waitFor('it is reached again', reached)).rows).toHaveLength(1);
        await Promise.all(open.splice(0).map(({ end }) => end()));
      }, 90_000);
    });
  }
});
