import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../../src/index.ts';
import { checkUp } from '../../../src/engines/postgres/check-up.ts';
import { openDatabase } from '../../../src/engines/sql/clients/open-database.ts';
import { RequestCopies } from '../../../src/kernels/requests/request-copies.ts';
import type { SqlClient, SqlSession } from '../../../src/engines/sql/sql-client.ts';
import { type MariadbServer, startMariadb } from '../../fixtures/sql/mariadb-server.ts';
import { startPgbouncer } from '../../fixtures/sql/pgbouncer.ts';
import { type PostgresServer, startPostgres } from '../../fixtures/sql/postgres-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';

/** Which connection a session is on, once as much time has passed as a pool needs to open another one. */
const numbered = {
  postgres: 'select pg_backend_pid() from pg_sleep(0.3)',
  mysql: 'select connection_id(), sleep(0.3)',
} as const;

/** That it lends so many connections at the same time, and one more only when one of them is back: on that connection. */
async function lendsAtMost(client: SqlClient, engine: keyof typeof numbered, most: number): Promise<void> {
  const numberOf = async (session: SqlSession) => (await session.query(numbered[engine], [])).rows[0]![0];
  const lent = await Promise.all(Array.from({ length: most }, () => client.openSession!()));
  let isLent = false;
  const more = client.openSession!().then((session) => {
    isLent = true;
    return session;
  });
  const numbers = await Promise.all(lent.map(numberOf));
  expect(isLent).toBe(false);
  await lent[0]!.end('reuse');
  const last = await more;
  expect(await numberOf(last)).toBe(numbers[0]);
  await last.end('reuse');
  for (const session of lent.slice(1)) await session.end('reuse');
}

describeWith('postgres')('pools of our own on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server?.stop());

  describe.each(['pg', 'postgres'])('over %s', (name) => {
    test('have a name in the server, end long statements, and are as large as was asked for', async () => {
      const settings = { candidates: [name], commandTimeoutMs: 5_000 };
      const client = await openDatabase('postgres', `${server.url}?poolSize=2`, settings);
      const asked = `select current_setting('application_name'), current_setting('statement_timeout')`;
      expect((await client.query(asked, [])).rows).toEqual([['holdfast', '10s']]);
      await lendsAtMost(client, 'postgres', 2);
      // Else "nothing was done" would be said of what was sent.
      const sending = new RequestCopies(true);
      await client.query('select 1', [], sending);
      expect(sending.wasSent).toBe(true);
      await client.close();
      const smaller = await openDatabase('postgres', `${server.url}?poolSize=7`, {
        ...settings,
        poolSize: 1,
      });
      await lendsAtMost(smaller, 'postgres', 1);
      await smaller.close();
      const named = await openDatabase('postgres', `${server.url}?application_name=shop`, settings);
      expect((await named.query(`select current_setting('application_name')`, [])).rows).toEqual([['shop']]);
      await named.close();
    }, 60_000);
  });

  test('take the settings of an address, and leave the rest to the client', async () => {
    const settings = 'tablePrefix=shop_&schema=locks&poolSize=3&label=shop';
    await using pool = await openDatabase('postgres', server.url).then((client) =>
      Object.assign(client, { [Symbol.asyncDispose]: () => client.close() }),
    );
    await pool.query('create schema locks', []);
    await using one = await connect(`${server.url as `postgres${string}`}?${settings}&application_name=shop`);
    await using other = await connect(server.url as `postgres${string}`, {
      schema: 'locks',
      tablePrefix: 'shop_',
    });
    expect(one.label).toBe('shop');
    const hold = await one.lock('report').acquire();
    expect(await other.lock('report').tryAcquire()).toBeNull();
    await hold.release();
    const names = await pool.query(
      `select count(*)::int from pg_stat_activity where application_name = 'shop'`,
      [],
    );
    expect(Number(names.rows[0]![0])).toBeGreaterThan(0);
    for await (const finding of checkUp(`${server.url}?${settings}`)) expect(finding.level).not.toBe('bad');
  }, 60_000);

  test('leave the statements of a row lock without a limit', async () => {
    await using locks = await connect(server.url as `postgres${string}`, { commandTimeoutMs: 5_000 });
    const { rows } = await locks
      .rowLock('unlimited')
      .run((hold) => hold.query(`select current_setting('statement_timeout')`));
    expect(rows).toEqual([['0']]);
  }, 60_000);

  test('refuse a size that is none', async () => {
    const address = server.url as `postgres${string}`;
    await expect(connect(address, { poolSize: 0 })).rejects.toThrow(RangeError);
    await expect(connect(`${address}?poolSize=many`)).rejects.toThrow(/poolSize must be a whole number/);
  });
});

describeWith('postgres', 'pgbouncer')('pools of our own behind PgBouncer', () => {
  test('do without a limit that it does not let through', async () => {
    await using server = await startPostgres();
    await using pooler = await startPgbouncer(server, { mode: 'transaction' });
    for (const candidates of [['pg'], ['postgres']]) {
      const client = await openDatabase('postgres', pooler.url, { candidates, commandTimeoutMs: 5_000 });
      expect(client.limitsStatements).toBe(false);
      expect((await client.query('select 1', [])).rows).toEqual([[1]]);
      await client.close();
    }
  }, 60_000);
});

describeWith('mariadb')('pools of our own on MariaDB', () => {
  let server: MariadbServer;
  beforeAll(async () => {
    server = await startMariadb({ settings: { 'performance-schema': 'ON' } });
  }, 60_000);
  afterAll(() => server?.stop());

  test.each(['mysql2', 'mariadb'])(
    '%s: have a name in the server, and are as large as was asked for',
    async (name) => {
      const client = await openDatabase('mysql', `${server.url}?poolSize=2`, { candidates: [name] });
      const asked = `select attr_value from performance_schema.session_connect_attrs where processlist_id = connection_id() and attr_name = 'program_name'`;
      expect((await client.query(asked, [])).rows).toEqual([['holdfast']]);
      await lendsAtMost(client, 'mysql', 2);
      await client.close();
      const settings = { candidates: [name], poolSize: 1 };
      const smaller = await openDatabase('mysql', `${server.url}?poolSize=7`, settings);
      await lendsAtMost(smaller, 'mysql', 1);
      await smaller.close();
    },
    60_000,
  );

  test('take the settings of an address', async () => {
    const address = server.url as `mysql:${string}`;
    await using one = await connect(`${address}?tablePrefix=shop_&pollMs=10&charset=utf8mb4`);
    await using other = await connect(address, { tablePrefix: 'shop_' });
    const hold = await one.lock('report').acquire();
    expect(await other.lock('report').tryAcquire()).toBeNull();
    await hold.release();
    await expect(connect(`${address}?table_prefix=shop_`)).rejects.toThrow(/write tablePrefix/);
  }, 60_000);

  test('refuse a size that is none', async () => {
    const address = server.url as `mysql:${string}`;
    await expect(connect(address, { poolSize: 0 })).rejects.toThrow(RangeError);
    await expect(connect(`${address}?poolSize=many`)).rejects.toThrow(/poolSize must be a whole number/);
  });
});
