import { describe, expect, test } from 'vitest';
import { EngineError } from '../../../src/index.ts';
import { AnnouncementRows } from '../../../src/engines/sql/cells/announcement-rows.ts';
import { schemaSql } from '../../../src/engines/sql/cells/schema-sql.ts';
import { withMysqlLocks, withPostgresLocks } from '../../../src/engines/sql/native/with-locks.ts';
import type { Database, OpenedLocks } from './databases.ts';
import type { Ground } from './ground.ts';
import { uses } from './name-cases.ts';
import { toldClient } from './told-client.ts';

const PASSWORD = 'least';

/** What docs/engines tells to grant, statement by statement. */
const grants = {
  postgres: (user: string, prefix: string) => [
    `create role ${user} login password '${PASSWORD}'`,
    `grant select on ${prefix}schema to ${user}`,
    `grant select, insert, update, delete on ${prefix}cells to ${user}`,
  ],
  mysql: (user: string, prefix: string) => [
    `create user ${user}@'127.0.0.1' identified by '${PASSWORD}'`,
    `grant select on ${prefix}schema to ${user}@'127.0.0.1'`,
    `grant select, insert, update, delete on ${prefix}cells to ${user}@'127.0.0.1'`,
  ],
} as const;

/** A lock of the database itself, over an engine object that has tables too. */
function nativeLock({ inside }: OpenedLocks, { engine }: Database) {
  return engine === 'postgres'
    ? withPostgresLocks({ inside }, {}).advisoryLock('a')
    : withMysqlLocks({ inside }, {}).namedLock('a');
}

export function privilegeCases(database: Database, ground: () => Ground): void {
  describe('a user who may only use the tables', () => {
    test('can do everything, and create nothing', async () => {
      const { server, admin } = ground();
      const { client } = admin.pool;
      const tablePrefix = 'least_';
      for (const statement of schemaSql(database.engine, { tablePrefix }).split(
        /;\n\n?(?=create|insert|do|$)/,
      )) {
        if (statement.trim() !== '') await client.query(statement, []);
      }
      for (const statement of grants[database.engine]('worker', tablePrefix))
        await client.query(statement, []);
      const url = server.urlFor('worker', PASSWORD);
      await using locks = database.open(url, { tablePrefix });
      for (const use of Object.values(uses)) await use(locks, 'by the worker');
      // Also when a client waits and is notified, and when rows are cleaned up.
      await using other = database.open(url, { tablePrefix });
      const hold = await locks.fairLock('waited for').acquire();
      const waiting = other.fairLock('waited for').run(({ fence }) => fence);
      await hold.release();
      expect((await waiting) > hold.fence).toBeTruthy();
      await locks.inside.cleanUp.runAll();
      // With a name: what a client says about itself is a row of the same table, which goes when the client closes.
      const named = await locks.lock('named').acquire();
      await expect
        .poll(async () => (await other.lock('named').holder())?.client?.pid, { timeout: 20_000 })
        .toBe(process.pid);
      await named.release();
      await expect(locks.pool.client.query('create table forbidden (a int)', [])).rejects.toThrow(/denied/);
      await locks.close();
      await other.close();
      const left = await client.query(`select name from ${tablePrefix}cells where kind = 'client'`, []);
      expect(left.rows).toEqual([]);
    });

    test('rejects with what to do where there are no tables', async () => {
      const { server, admin } = ground();
      const prefix = 'nowhere_';
      const [create] = grants[database.engine]('stranger', prefix);
      await admin.pool.client.query(create!, []);
      // In MySQL no client may even use a database in which nothing is granted to it.
      if (database.engine === 'mysql')
        await admin.pool.client.query(`grant select on clock to stranger@'127.0.0.1'`, []);
      await using locks = database.open(server.urlFor('stranger', PASSWORD), { tablePrefix: prefix });
      await expect(locks.lock('a').acquire()).rejects.toSatisfy((error) => {
        expect(error instanceof EngineError).toBeTruthy();
        expect(error.retryable).toBe(false);
        expect(error.message).toMatch(/schemaSql\('(postgres|mysql)'\)/);
        return true;
      });
    });
  });

  test('a program that uses only locks of the database itself sends nothing to tables that it never created', async () => {
    const { server } = ground();
    const told: string[] = [];
    await using locks = database.open(server.url, {
      tablePrefix: 'unused_',
      through: (client) => toldClient(client, (text) => told.push(text)),
    });
    await using other = database.open(server.url, { tablePrefix: 'used_' });
    await using observer = database.open(server.url, { tablePrefix: 'used_' });
    await other.lock('first').run(() => undefined);
    const hold = await nativeLock(locks, database).acquire();
    // Of two clients, the one that acquires later announces itself later.
    const named = await observer.lock('later').acquire();
    await expect
      .poll(async () => (await other.lock('later').holder())?.client?.pid, { timeout: 20_000 })
      .toBe(process.pid);
    await named.release();
    await hold.release();
    await locks.close();
    expect(told.length).toBeGreaterThan(0);
    expect(told.filter((text) => text.includes('unused_cells'))).toEqual([]);
  });

  test('a client whose table has gone tries once to say who it is', async () => {
    const { server, admin } = ground();
    const told: string[] = [];
    await using locks = database.open(server.url, {
      tablePrefix: 'mute_',
      through: (client) => toldClient(client, (text) => told.push(text)),
    });
    const hold = await locks.lock('a').acquire();
    const announcements = new AnnouncementRows(locks.inside.statements, locks.inside.schema);
    await hold.release();
    await admin.pool.client.query('drop table mute_cells', []);
    await expect(announcements.announce('c'.repeat(32), '{}')).rejects.toThrow(/mute_cells/);
    expect(announcements.isReady).toBe(false);
    const before = told.length;
    await announcements.announce('c'.repeat(32), '{}');
    await announcements.retract('c'.repeat(32));
    expect(told.slice(before).filter((text) => text.includes("'client'"))).toEqual([]);
  });
}
