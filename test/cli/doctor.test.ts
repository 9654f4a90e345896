import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { startRedisReplication } from '../fixtures/redis/redis-replication.ts';
import { startRedisServer } from '../fixtures/redis/redis-server.ts';
import { startMariadb } from '../fixtures/sql/mariadb-server.ts';
import { startPgbouncer } from '../fixtures/sql/pgbouncer.ts';
import { type PostgresServer, startPostgres } from '../fixtures/sql/postgres-server.ts';
import { describeWith } from '../fixtures/sql/sql-binaries.ts';
import { Workplace } from './workplace.ts';

let place: Workplace;

beforeAll(() => {
  place = new Workplace();
});

afterAll(() => place[Symbol.asyncDispose]());

interface Found {
  readonly level: string;
  readonly about: string;
  readonly found: string;
  readonly advice?: string;
}

/** What the doctor says of a store, and what it exits with. */
async function examined(
  url: string,
): Promise<{ readonly code: number | null; readonly about: (what: string) => Found }> {
  const { code, stdout, stderr } = await place.run(['doctor', '--json'], { env: { HOLDFAST_URL: url } });
  expect(stderr.replaceAll(/^holdfast: Redis at .* maxmemory-policy .*\n/gm, '')).toBe('');
  const all = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Found);
  return {
    code,
    about: (what) => {
      const found = all.find(({ about }) => about === what);
      if (found === undefined) throw new Error(`nothing about ${what} in ${stdout}`);
      return found;
    },
  };
}

test('a file: well, and of this machine only', async () => {
  const { code, about } = await examined(place.url);
  expect(code).toBe(0);
  expect(about('reachable').found).toBe(place.file('locks.db'));
  expect(about('file system').level).toBe('good');
  expect(about('reach').found).toContain('this machine only');
  expect(about('a lock').level).toBe('good');
});

test('for people: a line for each, and what to do below', async () => {
  const { stdout } = await place.run(['doctor']);
  expect(stdout).toMatch(/^ok {4}reachable {5}\/.*\n/);
  expect(stdout).toMatch(/^note {2}reach {9}these locks/m);
});

test('a folder that is not there is 69', async () => {
  expect((await place.run(['doctor', '--url', 'sqlite:/no/such/folder/x.db'])).code).toBe(69);
});

describeRedis('Redis', () => {
  test('an eviction policy that can drop locks is bad, and what to do is said', async () => {
    await using server = await startRedisServer({
      args: { maxmemory: '100mb', 'maxmemory-policy': 'allkeys-lru' },
    });
    const { code, about } = await examined(server.url);
    expect(code).toBe(1);
    expect(about('eviction')).toMatchObject({ level: 'bad', advice: expect.stringContaining('noeviction') });
    expect(about('version')).toMatchObject({ level: 'good', found: expect.stringContaining('Redis 7') });
    expect(about('clock').level).toBe('good');
    expect(about('restart').level).toBe('note');
    expect(about('pub/sub').found).toContain('plain');
    expect(about('messages').level).toBe('good');
    expect(about('a lock').level).toBe('good');
  });

  test('replicas, and what they mean; the address of one is bad', async () => {
    await using replication = await startRedisReplication({ replicas: 1 });
    const { code, about } = await examined(replication.master.url);
    expect(code).toBe(0);
    expect(about('replication')).toMatchObject({
      level: 'note',
      advice: expect.stringContaining('replicas'),
    });
    const replica = await examined(replication.replicas[0]!.url);
    expect(replica.code).toBe(1);
    expect(replica.about('replication')).toMatchObject({ level: 'bad' });
    expect(replica.about('a lock')).toMatchObject({ level: 'bad' });
  });

  test('a user who may not do what is needed', async () => {
    await using server = await startRedisServer();
    await server.command(
      'ACL',
      'SETUSER',
      'reader',
      'on',
      '>secret',
      '~*',
      '&*',
      '+@read',
      '+@connection',
      '+time',
      '+info',
    );
    const { code, about } = await examined(server.url.replace('://', '://reader:secret@'));
    expect(code).toBe(1);
    expect(about('permission')).toMatchObject({ level: 'bad', found: expect.stringContaining('NOPERM') });
    expect(about('messages')).toMatchObject({ level: 'bad', advice: expect.stringContaining('channels') });
  });
});

describeWith('postgres')('PostgreSQL', () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await startPostgres({ settings: { synchronous_commit: 'off' } });
  }, 60_000);

  afterAll(() => server.stop());

  test('directly: no pooler, messages arrive, and what synchronous_commit = off means', async () => {
    const { code, about } = await examined(server.url);
    expect(code).toBe(0);
    expect(about('pooler').level).toBe('good');
    expect(about('messages').level).toBe('good');
    expect(about('durability')).toMatchObject({ level: 'note', advice: expect.stringContaining('on') });
  });

  describeWith('pgbouncer')('behind PgBouncer', () => {
    test('a pooler in transaction mode is found', async () => {
      await using pooler = await startPgbouncer(server, { mode: 'transaction' });
      const { about } = await examined(pooler.url);
      expect(about('pooler')).toMatchObject({ level: 'note', found: expect.stringContaining('PgBouncer') });
    });
  });
});

describeWith('mariadb')('MariaDB', () => {
  test('takes writes, has no messages, and says what its log promises', async () => {
    await using server = await startMariadb();
    const { code, about } = await examined(server.url);
    expect(code).toBe(0);
    expect(about('version').found).toContain('MariaDB');
    expect(about('replication').level).toBe('good');
    expect(about('messages').found).toContain('none');
    expect(about('a lock').level).toBe('good');
  }, 60_000);
});
describe('elsewhere', () => {
  test('a password is in nothing that is found', async () => {
    const { stdout, stderr } = await place.run(['doctor'], {
      env: { HOLDFAST_URL: 'redis://:tell-nobody@127.0.0.1:1' },
    });
    expect(stdout + stderr).not.toContain('tell-nobody');
  });
});
