import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { startRedisCluster } from '../fixtures/redis/redis-cluster.ts';
import { startRedisReplication } from '../fixtures/redis/redis-replication.ts';
import { selfSigned } from '../fixtures/network/self-signed.ts';
import { freePort } from '../fixtures/processes/free-port.ts';
import { startOlderRedis } from '../fixtures/redis/older-redis.ts';
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
  // What the lock that it tries warns of.
  const warning =
    /^holdfast: (Redis at .* maxmemory-policy |The Redis user of this connection may not ).*\n/gm;
  expect(stderr.replaceAll(warning, '')).toBe('');
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

// It examined the file of this machine, and found it well.
test('an address without --url is 64, and nothing is examined', async () => {
  for (const verb of ['doctor', 'bench']) {
    const { code, stdout, stderr } = await place.run([verb, 'redis://127.0.0.1:1']);
    expect([code, stdout]).toEqual([64, '']);
    expect(stderr).toContain('--url');
  }
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

  test('a server that is older than 7.0', async () => {
    await using server = await startRedisServer();
    await using older = await startOlderRedis(server);
    const { code, about } = await examined(older.url);
    expect(code).toBe(1);
    expect(about('version')).toMatchObject({
      level: 'bad',
      found: expect.stringContaining('Redis 6'),
      advice: expect.stringContaining('7.0 or newer'),
    });
    expect(about('a lock')).toMatchObject({
      level: 'bad',
      found: expect.stringContaining('older than Redis'),
    });
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

  test('one server of a cluster, by an address for a single one', async () => {
    await using cluster = await startRedisCluster({ replicasPerMaster: 0 });
    const { code, about } = await examined(cluster.nodes[0]!.url);
    expect(code).toBe(1);
    expect(about('cluster')).toMatchObject({
      level: 'bad',
      advice: expect.stringContaining('redis-cluster://'),
    });
  });

  test('a server that wants a password, and one with TLS, are 69 and say why', async () => {
    await using guarded = await startRedisServer({ args: { requirepass: 'secret' } });
    const stranger = await place.run(['doctor'], {
      env: { HOLDFAST_URL: `redis://127.0.0.1:${guarded.port}` },
    });
    expect(stranger).toMatchObject({
      code: 69,
      stderr: expect.stringContaining('refused the user or password'),
    });
    using signed = selfSigned();
    const tlsPort = await freePort();
    await using secured = await startRedisServer({
      args: {
        'tls-port': String(tlsPort),
        'tls-key-file': signed.key,
        'tls-cert-file': signed.certificate,
        'tls-ca-cert-file': signed.certificate,
        'tls-auth-clients': 'no',
      },
    });
    expect(await secured.command('PING')).toBe('PONG');
    const plain = await place.run(['doctor'], { env: { HOLDFAST_URL: `redis://127.0.0.1:${tlsPort}` } });
    expect(plain).toMatchObject({ code: 69, stderr: expect.stringContaining('speaks TLS on this port') });
  });

  test('a server that is full, and one without TLS, are 69 and say why', async () => {
    await using server = await startRedisServer();
    const plain = await place.run(['doctor'], {
      env: { HOLDFAST_URL: server.url.replace('redis:', 'rediss:') },
    });
    expect(plain).toMatchObject({ code: 69, stderr: expect.stringContaining('speaks no TLS') });
    await server.command('CONFIG', 'SET', 'maxclients', 1);
    const full = await place.run(['doctor'], { env: { HOLDFAST_URL: server.url } });
    expect(full).toMatchObject({ code: 69, stderr: expect.stringContaining('maxclients') });
  });

  test('a user who may have everything but channels, as Redis 7 makes one', async () => {
    await using server = await startRedisServer();
    await server.command('ACL', 'SETUSER', 'app', 'on', '>secret', '~*', 'resetchannels', '+@all');
    const url = server.url.replace('://', '://app:secret@');
    const { code, about } = await examined(url);
    expect(code).toBe(1);
    expect(about('messages')).toMatchObject({
      level: 'bad',
      advice: expect.stringContaining('ACL SETUSER «user» &redisson_* &holdfast_*'),
    });
    await server.command('ACL', 'SETUSER', 'app', '&redisson_*', '&holdfast_*');
    const permitted = await examined(url);
    expect(permitted.code).toBe(0);
    expect(permitted.about('messages').level).toBe('good');
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
    expect(about('messages').found).toContain('waiters poll');
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
