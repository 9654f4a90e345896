import { describe, expect, test } from 'vitest';
import pg from 'pg';
import { createPool as createMysql2Pool } from 'mysql2/promise';
import { openDatabase } from '../../../src/engines/sql/clients/open-database.ts';
import { mysqlClientFor, postgresClientFor } from '../../../src/engines/sql/clients/recognise.ts';
import { RequestCopies } from '../../../src/kernels/requests/request-copies.ts';
import { startMariadb } from '../../fixtures/sql/mariadb-server.ts';
import { startPostgres } from '../../fixtures/sql/postgres-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';

describe('clients are distinguished', () => {
  test('a client of the other kind of database is refused', async () => {
    const pool = new pg.Pool();
    const mysql = createMysql2Pool({ uri: 'mysql://unused@127.0.0.1/nothing' });
    expect(() => mysqlClientFor(pool)).toThrow('a pool of mysql2 or mariadb');
    expect(() => postgresClientFor(mysql)).toThrow('a Pool of pg');
    await pool.end();
    await mysql.end();
  });

  test('a single connection is refused, with the reason', () => {
    expect(() => postgresClientFor(new pg.Client())).toThrow('your own transactions');
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

  test('what a query builder has wrapped is understood', async () => {
    const cause = Object.assign(new Error('deadlock detected'), { code: '40P01' });
    const client = postgresClientFor(async () => {
      throw new Error('Failed query: select …', { cause });
    });
    const failed = await client.query('select 1', []).catch((error: unknown) => error);
    expect(client.failure(failed)).toBe('again');
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
