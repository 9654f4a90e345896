import { createPool } from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../fixtures/redis/redis-server.ts';
import { type MariadbServer, startMariadb } from '../fixtures/sql/mariadb-server.ts';
import { type PostgresServer, startPostgres } from '../fixtures/sql/postgres-server.ts';
import { describeWith } from '../fixtures/sql/sql-binaries.ts';
import { type CodeBlock, codeBlocks } from './code-blocks.ts';
import { pages, read, sources } from './documents.ts';
import { ExampleFolder } from './run-block.ts';

/** What stands in the examples: the address of a server that a user has. */
const DOCUMENTED = {
  'on-redis': /redis:\/\/localhost:6379/g,
  'on-postgres': /postgres:\/\/(?:app:secret@)?localhost\/shop/g,
  'on-mariadb': /mysql:\/\/(?:app:secret@)?localhost\/shop/g,
};
type Place = keyof typeof DOCUMENTED;

const all = [...pages, ...sources].flatMap((path) => codeBlocks(path, read(path)));

/** The examples for one server, with its address in place of the documented one. */
function examples(place: Place): readonly (readonly [string, CodeBlock])[] {
  return all.filter(({ remark }) => remark === place).map((block) => [block.at, block] as const);
}

function at(place: Place, block: CodeBlock, url: string): CodeBlock {
  const code = block.code.replaceAll(DOCUMENTED[place], url);
  if (code === block.code) throw new Error(`${block.at} has none of the addresses of examples`);
  return { ...block, code };
}

describeRedis('the examples on Redis', () => {
  let server: RedisServer;
  let folder: ExampleFolder;
  beforeAll(async () => {
    folder = new ExampleFolder('redis-examples');
    server = await startRedisServer();
  }, 60_000);
  afterAll(async () => {
    folder.remove();
    await server.stop();
  }, 60_000);

  test.each(examples('on-redis'))(
    '%s',
    async (_, block) => expect(await folder.missingLines(at('on-redis', block, server.url))).toEqual([]),
    30_000,
  );

  test('the README tells contention and an outage apart', async () => {
    const [, block] = examples('on-redis').find(([where]) => where.startsWith('README.md'))!;
    const own = await startRedisServer();
    const [handler = ''] = at('on-redis', block, own.url).code.split('console.log(');
    const file = folder.write({
      ...block,
      at: 'handler',
      code: `${handler}\nexport { client, locks, pay };\n`,
    });
    const { client, locks, pay } = (await import(file)) as {
      readonly client: { destroy(): void };
      readonly locks: { close(): Promise<void> };
      readonly pay: (order: string) => Promise<number>;
    };
    expect(await Promise.all([pay('7'), pay('7')])).toEqual([200, 409]);
    await own.stop();
    expect(await pay('7')).toBe(503);
    await locks.close();
    client.destroy();
  }, 30_000);
});

describeWith('postgres')('the examples on PostgreSQL', () => {
  let server: PostgresServer;
  let folder: ExampleFolder;
  beforeAll(async () => {
    folder = new ExampleFolder('postgres-examples');
    server = await startPostgres();
    const pool = new pg.Pool({ connectionString: server.url, max: 1 });
    // The tables of the user whose program it is, and that of Spring Integration 7.
    await pool.query(`
      create table accounts (id int primary key, cents int not null);
      insert into accounts values (7, 0);
      create table audit (fence bigint not null);
      create table shelves (id int primary key, pieces int not null, fence bigint not null);
      insert into shelves values (7, 5, 0);
      create table INT_LOCK (LOCK_KEY char(36) not null, REGION varchar(100) not null, CLIENT_ID char(36),
        CREATED_DATE timestamp not null, EXPIRED_AFTER timestamp not null, primary key (LOCK_KEY, REGION));`);
    await pool.end();
  }, 60_000);
  afterAll(async () => {
    folder.remove();
    await server.stop();
  }, 60_000);

  test.each(examples('on-postgres'))(
    '%s',
    async (_, block) => expect(await folder.missingLines(at('on-postgres', block, server.url))).toEqual([]),
    30_000,
  );
});

describeWith('mariadb')('the examples on MariaDB', () => {
  let server: MariadbServer;
  let folder: ExampleFolder;
  beforeAll(async () => {
    folder = new ExampleFolder('mariadb-examples');
    server = await startMariadb();
    const pool = createPool(server.url);
    await pool.query('create table shelves (id int primary key, pieces int not null, fence bigint not null)');
    await pool.query('insert into shelves values (7, 5, 0)');
    await pool.end();
  }, 60_000);
  afterAll(async () => {
    folder.remove();
    await server.stop();
  }, 60_000);

  test.each(examples('on-mariadb'))(
    '%s',
    async (_, block) => expect(await folder.missingLines(at('on-mariadb', block, server.url))).toEqual([]),
    30_000,
  );
});
