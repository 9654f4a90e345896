import { redis, type RedisClientLike } from 'holdfast/redis';
import { createCluster } from 'redis';
import { expect, test } from 'vitest';
import { type RedisCluster, startRedisCluster } from '../../fixtures/redis/redis-cluster.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';

/** A lock is taken and given back: who hears of it, of those who listen in either way where the lock is. */
async function heard(
  cluster: RedisCluster,
  client: RedisClientLike,
  pubSub: 'auto' | 'plain' | 'sharded',
): Promise<readonly (readonly [string, string])[]> {
  const channel = `redisson_lock__channel:{${pubSub}}`;
  const master = await cluster.masterOf(pubSub);
  using ofShard = await master.subscribe({ shardChannel: channel });
  using ofAll = await master.subscribe({ channel });
  await using library = redis({ client, pubSub });
  await library.lock(pubSub).run(() => undefined);
  // Whatever was published before these has arrived before them.
  await master.command('SPUBLISH', channel, 'end');
  await master.command('PUBLISH', channel, 'end');
  const payloads = async (listener: typeof ofAll): Promise<string[]> => {
    const payload = (await listener.next()).payload;
    return payload === 'end' ? [] : [payload, ...(await payloads(listener))];
  };
  return [
    ...(await payloads(ofShard)).map((payload) => ['shard', payload] as const),
    ...(await payloads(ofAll)).map((payload) => ['all', payload] as const),
  ];
}

describeRedis('a cluster in the way of Redisson', () => {
  test('sharded-messages', { timeout: 30_000 }, async () => {
    await using cluster = await startRedisCluster({ replicasPerMaster: 0 });
    const client = createCluster({ rootNodes: cluster.nodes.map(({ url }) => ({ url })) });
    client.on('error', () => undefined);
    await client.connect();
    await expect(heard(cluster, client, 'auto')).resolves.toEqual([['shard', '0']]);
    await expect(heard(cluster, client, 'sharded')).resolves.toEqual([['shard', '0']]);
    await expect(heard(cluster, client, 'plain')).resolves.toEqual([['all', '0']]);
    await client.close();
  });
});
