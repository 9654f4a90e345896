import { describe, expect, test } from 'vitest';
import { EngineError } from '../../../src/index.ts';
import { schemaSql } from '../../../src/engines/sql/cells/schema-sql.ts';
import type { Database } from './databases.ts';
import type { Ground } from './ground.ts';
import { uses } from './name-cases.ts';

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
      await expect(locks.pool.client.query('create table forbidden (a int)', [])).rejects.toThrow(/denied/);
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
}
