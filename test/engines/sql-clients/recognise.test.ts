import { drizzle } from 'drizzle-orm/node-postgres';
import knex from 'knex';
import { Kysely, PostgresDialect } from 'kysely';
import { createPool as createMariadbPool } from 'mariadb/callback';
import { createConnection } from 'mysql2';
import { createPool as createMysql2Pool } from 'mysql2/promise';
import pg from 'pg';
import postgresJs from 'postgres';
import { describe, expect, test } from 'vitest';
import { mysql } from 'holdfast/mysql';
import { postgres } from 'holdfast/postgres';
import { openDatabase } from '../../../src/engines/sql/clients/open-database.ts';
import { mysqlClientFor, postgresClientFor } from '../../../src/engines/sql/clients/recognise.ts';
import { RequestCopies } from '../../../src/kernels/requests/request-copies.ts';
import { startMariadb } from '../../fixtures/sql/mariadb-server.ts';
import { startPostgres } from '../../fixtures/sql/postgres-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';

describe('clients are distinguished', () => {
  test('a client of the other kind of database is refused', async () => {
    const pool = new pg.Pool();
    const mysql2 = createMysql2Pool({ uri: 'mysql://unused@127.0.0.1/nothing' });
    const sql = postgresJs('postgres://unused@127.0.0.1/nothing');
    expect(() => mysqlClientFor(pool)).toThrow('a pool of mysql2 or mariadb');
    expect(() => mysqlClientFor(pool)).toThrow(
      'This is a Pool of pg. It is for PostgreSQL: write postgres({',
    );
    expect(() => mysqlClientFor(sql)).toThrow('This is the sql of postgres.js. It is for PostgreSQL');
    expect(() => postgresClientFor(mysql2)).toThrow('a Pool of pg');
    expect(() => postgresClientFor(mysql2)).toThrow('This is a pool of mysql2. It is for MySQL');
    await pool.end();
    await mysql2.end();
    await sql.end();
  });

  test('a single connection is refused, with the reason', async () => {
    expect(() => postgresClientFor(new pg.Client())).toThrow(
      'your own transactions. Pass a pool: postgres({',
    );
    const connection = createConnection({ host: '127.0.0.1', port: 1 }).on('error', () => undefined);
    expect(() => mysqlClientFor(connection)).toThrow('your own transactions. Pass a pool: mysql({');
    expect(() => mysqlClientFor(connection.promise())).toThrow('your own transactions. Pass a pool: mysql({');
    connection.destroy();
  });

  test('a pool of mariadb with callbacks is refused, and the one with promises is named', async () => {
    const pool = createMariadbPool({ host: '127.0.0.1', port: 1, minimumIdle: 0 });
    expect(() => mysql({ pool })).toThrow('a pool of mariadb with callbacks. Pass one with promises');
    await new Promise<void>((done) => pool.end(() => done()));
  });

  test('a query builder is refused, with what to pass', async () => {
    const db = knex({ client: 'pg' });
    const kysely = new Kysely<object>({ dialect: new PostgresDialect({ pool: new pg.Pool() }) });
    // Knex is a function that returns a promise: no type can refuse it.
    expect(() => postgres({ pool: db as never })).toThrow(
      /an instance of Knex\. .*acquireConnection\(\).*return await connection\.query\(text, values\)/,
    );
    expect(() => mysql({ pool: db as never })).toThrow(
      /an instance of Knex\. .*promise\(\)\.query\(text, values\)/,
    );
    expect(() => postgres({ pool: kysely as never })).toThrow(
      /an instance of Kysely\. .*db\.executeQuery\(CompiledQuery\.raw\(text, values\)\)/,
    );
    expect(() => postgres({ pool: drizzle({ client: new pg.Pool() }) as never })).toThrow(
      'a database of Drizzle. Pass its client: postgres({ pool: db.$client }).',
    );
    expect(() => postgres({ pool: db as never })).toThrow(TypeError);
    await kysely.destroy();
    await db.destroy();
  });

  test.each([undefined, null, 'postgres://localhost', 7, {}, { query: () => [] }])('%j is none', (given) => {
    expect(() => postgresClientFor(given)).toThrow(TypeError);
    expect(() => mysqlClientFor(given)).toThrow(TypeError);
  });

  test('a query function must answer with rows', async () => {
    const client = postgresClientFor(async () => 'nonsense');
    await expect(client.query('select 1', [])).rejects.toThrow('must answer with rows');
  });

  test.each([
    ['a time-out of its own', new Error('took longer than 500 ms'), 'unknown', true],
    ['a word of its own', Object.assign(new Error('timed out'), { code: 'QUERY_TIMEOUT' }), 'unknown', true],
    ['an SQLSTATE', Object.assign(new Error('syntax error'), { code: '42601' }), 'final', false],
    ['an error number', Object.assign(new Error('duplicate'), { errno: 1062 }), 'final', false],
  ] as const)('a query function that throws %s (soundness 3)', async (_, thrown, failure, wasSent) => {
    const clientFor = 'errno' in thrown ? mysqlClientFor : postgresClientFor;
    const client = clientFor(async () => {
      throw thrown;
    });
    const sending = new RequestCopies(true);
    const failed = await client.query('select 1', [], sending).catch((error: unknown) => error);
    expect([client.failure(failed), sending.wasSent]).toEqual([failure, wasSent]);
  });

  const deadlock = Object.assign(new Error('deadlock detected'), { code: '40P01' });
  const wrapped = (properties: object) => Object.assign(new Error('Failed: select …, values: …'), properties);
  /** As Prisma 7 reports what its client pg has thrown. */
  const byPrisma = (cause: object) =>
    wrapped({ code: 'P2010', meta: { driverAdapterError: new Error('Deadlock', { cause }) } });

  test.each([
    ['the cause', new Error('Failed query: select …', { cause: deadlock }), 'again'],
    ['Sequelize', wrapped({ parent: deadlock, original: deadlock }), 'again'],
    ['TypeORM', wrapped({ query: 'select …', driverError: deadlock }), 'again'],
    ['Prisma', byPrisma({ originalCode: '40P01', originalMessage: 'deadlock detected' }), 'again'],
    ['Prisma, the right', byPrisma({ originalCode: '42501', originalMessage: 'denied' }), 'denied'],
    ['Prisma, the network', byPrisma({ kind: 'DatabaseNotReachable', host: 'h' }), 'unreachable'],
    ['Prisma, its socket', byPrisma({ kind: 'ConnectionClosed' }), 'unknown'],
    [
      'Prisma over its engine',
      wrapped({ code: 'P2010', meta: { code: '42P01', message: 'none' } }),
      'missing',
    ],
    [
      'Prisma, its pool',
      Object.assign(new Error('no connection'), { code: 'P2024', meta: {} }),
      'unreachable',
    ],
  ])('finds the code that %s hides', async (_, thrown, failure) => {
    const client = postgresClientFor(async () => {
      throw thrown;
    });
    const failed = await client.query('select 1', []).catch((error: unknown) => error);
    expect(client.failure(failed)).toBe(failure);
    expect(String(failed)).not.toContain('select');
  });

  test('a code of Prisma is none of the database (soundness 3)', async () => {
    const client = postgresClientFor(async () => {
      throw wrapped({ code: 'P2010', meta: {} });
    });
    const failed = await client.query('select 1', []).catch((error: unknown) => error);
    expect(client.failure(failed)).toBe('unknown');
  });

  test('reads a decimal of Prisma and a date as their text', async () => {
    const decimal = { toJSON: () => '1234.5' };
    const client = postgresClientFor(async () => [{ decimal, date: new Date(0), json: { a: 1 } }]);
    expect((await client.query('select 1', [])).rows).toEqual([
      ['1234.5', '1970-01-01T00:00:00.000Z', '{"a":1}'],
    ]);
  });
});

describeWith('postgres')('by an address, PostgreSQL', () => {
  test.each(['pg', 'postgres'])('%s is opened and closed', async (name) => {
    await using server = await startPostgres();
    const client = await openDatabase('postgres', server.url, { candidates: [name] });
    expect((await client.query('select $1::int', [7])).rows).toEqual([[7]]);
    const unlisten = await client.listen!('channel', () => undefined);
    unlisten();
    await client.close();
    const wrong = server.urlFor(server.user, 'not-the-password');
    const failed = await openDatabase('postgres', wrong, { candidates: [name] }).catch(
      (error: unknown) => error,
    );
    expect(failed).toMatchObject({ code: 'ENGINE', retryable: false });
    expect(String(failed)).toContain(`127.0.0.1:${server.port}`);
    expect(String(failed)).not.toContain('not-the-password');
  });

  test('no client there', async () => {
    await expect(openDatabase('postgres', 'postgres://u:secret@127.0.0.1:1/x')).rejects.toMatchObject({
      code: 'ENGINE',
      retryable: true,
      message: expect.not.stringContaining('secret') as string,
    });
    await expect(openDatabase('postgres', 'nonsense')).rejects.toThrow(TypeError);
    await expect(openDatabase('postgres', 'postgres://h/x', { candidates: ['none'] })).rejects.toThrow(
      'npm install none',
    );
  });
});

describeWith('mariadb')('by an address, MariaDB', () => {
  test.each(['mysql2', 'mariadb'])(
    '%s is opened and closed',
    async (name) => {
      await using server = await startMariadb();
      const client = await openDatabase('mysql', server.url, { candidates: [name] });
      expect((await client.query('select ? + 0', [7])).rows.map(([n]) => Number(n))).toEqual([7]);
      await client.close();
    },
    30_000,
  );
});
