import { expect, test } from 'vitest';
import { connect } from 'holdfast';
import { checkUp } from '../../src/engines/redis/diagnostics/check-up.ts';
import type { Finding } from '../../src/spi/engine/finding.ts';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { startRedisCluster } from '../fixtures/redis/redis-cluster.ts';
import { startRedisSentinel } from '../fixtures/redis/redis-sentinel.ts';
import { startRedisServer } from '../fixtures/redis/redis-server.ts';

type ValkeyUrl = `valkey${string}`;
const valkeyUrl = (url: string): ValkeyUrl => url.replace(/^redis/, 'valkey') as ValkeyUrl;

describeRedis('a Valkey', () => {
  test('is the server of this run, and doctor names it', async () => {
    await using server = await startRedisServer();
    const { server_name, valkey_version } = await server.info('server');
    expect(server_name).toBe('valkey');
    const findings: Finding[] = [];
    for await (const finding of checkUp(valkeyUrl(server.url))) findings.push(finding);
    expect(findings.find(({ about }) => about === 'version')).toMatchObject({
      level: 'good',
      found: expect.stringContaining(`is Valkey ${valkey_version}, compatible with Redis 7`),
    });
    expect(findings.filter(({ level }) => level === 'bad')).toEqual([]);
  });

  test('is opened by its address, by iovalkey, and shares its locks with a redis: address', async () => {
    await using server = await startRedisServer();
    await using one = await connect(`${valkeyUrl(server.url)}?keyPrefix=app:`);
    const names = String(await server.command('CLIENT', 'LIST'));
    expect(names).toMatch(/ name=holdfast /);
    await using other = await connect(server.url as `redis${string}`);
    const hold = await one.lock('report').acquire();
    expect(await other.lock('app:report').tryAcquire()).toBeNull();
    const waiting = other.lock('app:report').acquire();
    await hold.release();
    await (await waiting).release();
  });

  test('is opened behind sentinels', async () => {
    const servers = await startRedisSentinel();
    try {
      await using locks = await connect(valkeyUrl(servers.url));
      expect(await locks.fairLock('a').run(() => 'in')).toBe('in');
    } finally {
      await servers.stop();
    }
  });

  test('is opened as a cluster', async () => {
    const servers = await startRedisCluster({ replicasPerMaster: 0 });
    try {
      await using locks = await connect(valkeyUrl(servers.url));
      expect(await locks.semaphore('a', { permits: 2 }).run(() => 'in')).toBe('in');
    } finally {
      await servers.stop();
    }
  });
});
