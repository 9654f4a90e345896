import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../../fixtures/wait-for.ts';
import { type PostgresServer, startPostgres } from '../../fixtures/sql/postgres-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import type { OpenClient, Opening } from './open-client.ts';
import { postgresPools } from './postgres-pools.ts';
import { postgresFunctions } from './query-builders.ts';
import { postgresSessions, sessionCases } from './session-cases.ts';
import { failureOf, newTable, postgresDialect, statementCases } from './statement-cases.ts';

describeWith('postgres')('clients for PostgreSQL', () => {
  let server: PostgresServer;
  const open: OpenClient[] = [];
  beforeAll(async () => {
    server = await startPostgres();
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

  for (const [name, opening] of Object.entries(postgresFunctions)) {
    describe(`${name}, by a function`, () => {
      statementCases(postgresDialect, () => opened(opening));
    });
  }

  for (const [name, opening] of Object.entries(postgresPools)) {
    describe(`${name}, by its pool`, () => {
      statementCases(postgresDialect, () => opened(opening));
      sessionCases(postgresSessions, (most) => opened(opening, server.url, most));

      test('reads numbers, truth and bytes, and larger numbers as text', async () => {
        const { rows } = await opened(opening).query(
          `select 1::int, 2::bigint, true, '\\x00ff'::bytea, 1.5::float8, '{"a": 1}'::jsonb, $1::bytea, $2::bool, $3::jsonb ->> 'b'`,
          [Buffer.from([1, 0, 2]), false, '{"b": "c"}'],
        );
        expect(rows).toEqual([
          [1, '2', true, Buffer.from([0, 255]), 1.5, '{"a": 1}', Buffer.from([1, 0, 2]), false, 'c'],
        ]);
      });

      test('carries out several statements at once if they have no parameters', async () => {
        const { rows } = await opened(opening).query('select 1; select 2', []);
        expect(rows).toEqual([[2]]);
      });

      test('hears notifications, and after a gap that there may have been some', async () => {
        const client = opened(opening);
        const channel = 'odd "channel" name';
        const heard: (string | undefined)[] = [];
        const unlisten = await client.listen!(channel, (payload) => heard.push(payload));
        const second: (string | undefined)[] = [];
        const unlistenSecond = await client.listen!(channel, (payload) => second.push(payload));
        await client.query('select pg_notify($1, $2)', [channel, 'first']);
        await waitFor('it is heard', () => heard.length === 1 && second.length === 1);
        unlistenSecond();
        await client.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen%' and pid <> pg_backend_pid()`,
          [],
        );
        await waitFor('the gap is reported', () => heard.includes(undefined));
        await client.query('select pg_notify($1, $2)', [channel, 'second']);
        await waitFor('it is heard again', () => heard.includes('second'));
        expect(second).toEqual(['first']);
        unlisten();
        unlisten();
      });

      test('says who may not do something, and that a server is read-only', async () => {
        const superuser = opened(opening);
        const table = newTable();
        const role = `odd ${table}`;
        await superuser.query(`create table ${table} (id int)`, []);
        await superuser.query(`create role "${role}" login password 'word'`, []);
        const client = opened(opening, server.urlFor(role, 'word'));
        expect(await failureOf(client, client.query(`select id from ${table}`, []))).toBe('denied');
        expect(await failureOf(client, client.query(`create table ${table}_2 (id int)`, []))).toBe('denied');
        const session = await superuser.openSession!();
        await session.query('begin read only', []);
        expect(await failureOf(superuser, session.query(`insert into ${table} values (1)`, []))).toBe(
          'read-only',
        );
        await session.query('rollback', []);
        await session.end('reuse');
      });

      test.each([
        ['53100', 'full'],
        ['53200', 'full'],
        ['58030', 'full'],
        ['25006', 'read-only'],
        ['57014', 'again'],
      ])('judges what the server calls %s as %s', async (state, failure) => {
        const client = opened(opening);
        const raising = client.query(
          `do $$ begin raise exception 'as a test' using errcode = '${state}'; end $$`,
          [],
        );
        expect(await failureOf(client, raising)).toBe(failure);
      });

      test.skipIf(name === 'postgres.js')(
        'goes to another connection after one that takes no writes',
        async () => {
          const client = opened(opening, server.url, 1);
          const before = (await client.query('select pg_backend_pid()', [])).rows;
          const table = newTable();
          await client.query(`create table ${table} (id int)`, []);
          await client.query('set default_transaction_read_only = on', []);
          expect(await failureOf(client, client.query(`insert into ${table} values (1)`, []))).toBe(
            'read-only',
          );
          await client.query(`insert into ${table} values (1)`, []);
          expect((await client.query('select pg_backend_pid()', [])).rows).not.toEqual(before);
        },
      );

      test('never tells a password or a value', async () => {
        const client = opened(opening, server.urlFor(server.user, 'not-the-password'));
        const wrong = await client.query('select $1::text', ['a value']).catch((error: unknown) => error);
        expect(client.failure(wrong)).toBe('denied');
        const direct = opened(opening);
        const failed = await direct
          .query('select 1 / $1::int, $2::text', [0, 'a value'])
          .catch((error: unknown) => error);
        for (const error of [wrong, failed]) {
          const { message, stack } = error as Error;
          const told = `${message} ${stack} ${JSON.stringify(error)} ${JSON.stringify(Object.getOwnPropertyDescriptors(error))}`;
          expect(told).not.toContain('not-the-password');
          expect(told).not.toContain(server.password);
          expect(told).not.toContain('a value');
        }
      });

      test('notices when the server is down, and goes on when it is back', async () => {
        await using own = await startPostgres();
        const client = opened(opening, own.url);
        await client.query('select 1', []);
        await own.kill();
        await waitFor('it cannot be reached', async () => {
          return (await failureOf(client, client.query('select 1', []))) === 'unreachable';
        });
        await own.restart();
        const reached = () => client.query('select 1', []);
        expect((await waitFor('it is reached again', reached)).rows).toHaveLength(1);
        await Promise.all(open.splice(0).map(({ end }) => end()));
      }, 60_000);
    });
  }
});
