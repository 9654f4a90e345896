import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { mysql, type MysqlOptions, type MysqlSynchronizers } from '../../../src/engines/mysql/index.ts';
import type { OpenClient } from '../../engines/sql-clients/open-client.ts';
import { springTables } from '../../engines/sql-native/spring-tables.ts';
import { type MariadbServer, startMariadb } from '../../fixtures/sql/mariadb-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import { databases, pools } from './databases.ts';

const DEADLINE_MS = 30_000;
const PASSWORD = 'word';

/** Settings of a server or a session under which the usual statements mean something else. */
describeWith('mariadb')('settings of MariaDB', () => {
  let server: MariadbServer;
  const open: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    // What is done at each connection is not done for users who may do everything.
    server = await startMariadb({ settings: { 'init-connect': 'set autocommit = 0', 'sql-mode': 'ORACLE' } });
    await using admin = databases.MariaDB.open(server.url);
    await admin.pool.client.query(`create user 'uncommitted'@'127.0.0.1' identified by '${PASSWORD}'`, []);
    await admin.pool.client.query(`grant all on ${server.database}.* to 'uncommitted'@'127.0.0.1'`, []);
  }, 60_000);
  afterAll(() => server?.stop());
  afterEach(async () => {
    for (const close of open.splice(0).toReversed()) await close();
  });

  function opened(user: string, password: string, client = 'mysql2', most = 4) {
    const pool: OpenClient = pools.mysql[client]!(server.urlFor(user, password), most);
    const locks: MysqlSynchronizers = mysql({ pool: pool.pool as MysqlOptions['pool'] });
    open.push(async () => {
      await locks.close();
      await pool.end();
    });
    return { locks, sql: pool.client };
  }

  const usual = () => opened(server.user, server.password);

  const refusal = (error: unknown): boolean => {
    const { code, retryable, message } = error as { code?: string; retryable?: boolean; message: string };
    return code === 'ENGINE' && retryable === false && message.includes('autocommit = 0');
  };

  test.each(['mysql2', 'mariadb'])(
    '%s: a connection that commits nothing is refused, and its lock stays free',
    async (client) => {
      const { locks } = usual();
      const name = `uncommitted ${client}`;
      // Once where there is a row already, once where there is none.
      await locks.lock(name).run(() => undefined);
      const uncommitted = opened('uncommitted', PASSWORD, client).locks;
      await expect(uncommitted.lock(name).acquire()).rejects.toSatisfy(refusal);
      await expect(uncommitted.lock(`${name} new`).tryAcquire()).rejects.toSatisfy(refusal);
      await expect(uncommitted.semaphore(name, { permits: 2 }).acquire()).rejects.toSatisfy(refusal);
      for (const free of [name, `${name} new`]) {
        const hold = await locks.lock(free).tryAcquire();
        expect(hold).not.toBeNull();
        await hold!.release();
      }
    },
    DEADLINE_MS,
  );

  test(
    'a connection that commits nothing any more is noticed by the next statement on it',
    async () => {
      const { locks, sql } = opened(server.user, server.password, 'mysql2', 1);
      const hold = await locks.lock('turned off').acquire();
      await sql.query('set session autocommit = 0', []);
      await expect(locks.lock('turned off, another').acquire()).rejects.toSatisfy(refusal);
      await sql.query('set session autocommit = 1', []);
      await hold.release();
      expect(hold.lost.aborted).toBe(false);
    },
    DEADLINE_MS,
  );

  test(
    "Spring's table is refused as well, and the locks of connections and transactions work",
    async () => {
      const { locks, sql } = usual();
      await springTables('mysql', { client: sql, end: async () => undefined });
      await locks.tableLock('row').acquire({ leaseMs: 60_000 });
      const uncommitted = opened('uncommitted', PASSWORD).locks;
      await expect(uncommitted.tableLock('row').tryAcquire()).rejects.toSatisfy(refusal);
      await expect(uncommitted.tableLock('no row').tryAcquire()).rejects.toSatisfy(refusal);
      const hold = await locks.tableLock('no row').tryAcquire();
      expect(hold).not.toBeNull();
      await hold!.release();
      await (await uncommitted.namedLock('named').acquire()).release();
      const first = await uncommitted.rowLock('new').run(({ fence }) => fence);
      expect(await locks.rowLock('new').run(({ fence }) => fence)).toBeGreaterThan(first);
    },
    DEADLINE_MS,
  );

  test(
    'sql_mode = ORACLE: a row can be had alone, and by row locks',
    async () => {
      await using locks = databases.MariaDB.open(server.url);
      await locks.lock('alone').run(() => undefined);
      const version = await locks.inside.documents.exclusively!('lock', 'alone', (found) => ({
        answer: () => found.version,
      }));
      expect(version).toBeTruthy();
      await usual()
        .locks.rowLock('alone')
        .run((hold) => hold.query('select 1'));
    },
    DEADLINE_MS,
  );

  test(
    'a transaction leaves its connection as it was',
    async () => {
      await using locks = databases.MariaDB.open(server.url, { most: 1 });
      const { client } = locks.pool;
      await client.query('set session idle_transaction_timeout = 77', []);
      await locks.lock('left').run(() => undefined);
      let within: unknown;
      await locks.inside.documents.exclusively!('lock', 'left', (found) => {
        within = found.version;
        return { answer: () => undefined };
      });
      expect(within).toBeTruthy();
      const { rows } = await client.query('select @@session.idle_transaction_timeout, @@in_transaction', []);
      expect(rows[0]?.map(Number)).toStrictEqual([77, 0]);
    },
    DEADLINE_MS,
  );
});
