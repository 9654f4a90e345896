import { drizzle } from 'drizzle-orm/node-postgres';
import knex from 'knex';
import { Kysely, MysqlDialect, PostgresDialect } from 'kysely';
import { createPool } from 'mysql2';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Synchronizers } from 'holdfast';
import { locksOverDrizzle } from '../../examples/query-builders/drizzle.ts';
import { locksOverKnex } from '../../examples/query-builders/knex.ts';
import { locksOverKysely, mysqlLocksOverKysely } from '../../examples/query-builders/kysely.ts';
import { type MariadbServer, startMariadb } from '../fixtures/sql/mariadb-server.ts';
import { type PostgresServer, startPostgres } from '../fixtures/sql/postgres-server.ts';
import { describeWith } from '../fixtures/sql/sql-binaries.ts';

/** Two programs that use one database exclude each other, hand over, and leave nothing held. */
async function excludeEachOther(one: Synchronizers, other: Synchronizers): Promise<boolean> {
  const hold = await one.lock('report').acquire();
  expect(await other.lock('report').tryAcquire()).toBe(null);
  const waiting = other.lock('report').acquire();
  await hold.release();
  const next = await waiting;
  await next.release();
  const permit = await one.semaphore('parts', { permits: 2 }).acquire({ permits: 2 });
  expect(await other.semaphore('parts', { permits: 2 }).tryAcquire()).toBe(null);
  await permit.release();
  await one.close();
  await other.close();
  return next.fence > hold.fence;
}

describeWith('postgres')('on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server.stop(), 60_000);

  const pool = () => new pg.Pool({ connectionString: server.url, max: 4 });

  test('Kysely', async () => {
    const db = new Kysely<object>({ dialect: new PostgresDialect({ pool: pool() }) });
    expect(await excludeEachOther(locksOverKysely(db), locksOverKysely(db))).toBeTruthy();
    await db.destroy();
  }, 60_000);

  test('Knex', async () => {
    const db = knex({ client: 'pg', connection: server.url, pool: { min: 0, max: 4 } });
    expect(await excludeEachOther(locksOverKnex(db), locksOverKnex(db))).toBeTruthy();
    await db.destroy();
  }, 60_000);

  test('Drizzle', async () => {
    const db = drizzle({ client: pool() });
    expect(await excludeEachOther(locksOverDrizzle(db), locksOverDrizzle(db))).toBeTruthy();
    await db.$client.end();
  }, 60_000);
});

describeWith('mariadb')('on MariaDB', () => {
  let server: MariadbServer;
  beforeAll(async () => {
    server = await startMariadb();
  }, 60_000);
  afterAll(() => server.stop(), 60_000);

  test('Kysely', async () => {
    const db = new Kysely<object>({ dialect: new MysqlDialect({ pool: createPool({ uri: server.url }) }) });
    expect(await excludeEachOther(mysqlLocksOverKysely(db), mysqlLocksOverKysely(db))).toBeTruthy();
    await db.destroy();
  }, 60_000);
});
