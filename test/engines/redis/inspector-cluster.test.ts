import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  type Change,
  redis,
  type RedisSettings,
  type RedisSynchronizers,
  type Sighting,
} from '../../../src/engines/redis/index.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisCluster, startRedisCluster } from '../../fixtures/redis/redis-cluster.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { clientKinds, type UserClient } from '../redis-drivers/client-kinds.ts';

const JAVA = 'aaaaaaaa-0000-4000-8000-000000000001:1';

let cluster: RedisCluster;
const opened: { readonly user: UserClient; readonly locks: RedisSynchronizers }[] = [];

async function open(client: string, settings: RedisSettings): Promise<RedisSynchronizers> {
  const kind = clientKinds.find(({ name }) => name === client)!;
  const user = await kind.cluster(cluster.nodes.map(({ port }) => port));
  const locks = redis({ client: user.client, ...settings });
  opened.push({ user, locks });
  return locks;
}

async function listed({ inspector }: RedisSynchronizers): Promise<readonly Sighting[]> {
  const all: Sighting[] = [];
  for await (const sighting of inspector.list()) all.push(sighting);
  return all;
}

describeRedis.each([
  { client: 'redis 6, RESP3', pubSub: 'sharded' },
  { client: 'ioredis 6, RESP2', pubSub: 'plain' },
] as const)('the inspector in a cluster, $client, $pubSub', ({ client, pubSub }) => {
  beforeAll(async () => {
    cluster = await startRedisCluster({ replicasPerMaster: 0 });
  }, 60_000);
  afterEach(async () => {
    for (const { locks, user } of opened.splice(0)) {
      await locks.close();
      await user.close();
    }
    for (const node of cluster.nodes) await node.command('FLUSHALL');
  });
  afterAll(() => cluster.stop());

  test('shows what is on all servers, and looks at nothing that cannot be a lock', async () => {
    const locks = await open(client, { pubSub });
    const names = Array.from({ length: 12 }, (_, at) => `lock-${at}`);
    const holds = await Promise.all(names.map((name) => locks.lock(name).acquire()));
    const office = await locks.election('chair').campaign();
    // In different slots from what would belong to it.
    for (const name of ['a}b', 'x{}y', 'data{1', 'data{2']) {
      const node = await cluster.masterOf(name);
      await node.command('HSET', name, JAVA, '1');
      await node.command('PEXPIRE', name, 30_000);
    }
    const node = await cluster.masterOf('{java}');
    await node.command('RPUSH', 'redisson_lock_queue:{java}', JAVA);
    const seen = (await listed(locks)).map(({ kind, name }) => `${kind} ${name}`);
    const expected = [...names.map((name) => `lock ${name}`), 'election chair', 'fairLock java'];
    expect(seen.toSorted()).toStrictEqual(expected.toSorted());
    await Promise.all(holds.map((hold) => hold.release()));
    await office.resign();
  });

  test('knows who listens on which server', async () => {
    const [locks, elsewhere] = [await open(client, { pubSub }), await open(client, { pubSub })];
    const names = ['a', 'b', 'c', 'd', 'e'];
    const holds = await Promise.all(names.map((name) => locks.lock(name).acquire()));
    const waiting = names.map((name) => elsewhere.lock(name).acquire());
    await waitFor('all are waited for', async () =>
      (await listed(locks)).every(({ waiters }) => waiters.count === 0 && waiters.clients === 1),
    );
    expect((await locks.inspector.describe('lock', 'a'))?.waiters).toStrictEqual({
      count: 0,
      counts: 'process',
      clients: 1,
    });
    const latch = locks.latch('gate');
    await latch.trySetCount(1);
    const gate = elsewhere.latch('gate').await();
    await waitFor('the latch is seen', async () =>
      (await listed(locks)).some(({ kind }) => kind === 'latch'),
    );
    await latch.countDown();
    await gate;
    await Promise.all(holds.map((hold) => hold.release()));
    for (const one of waiting) await (await one).release();
  });

  test('tells of changes', async () => {
    const [locks, elsewhere] = [await open(client, { pubSub }), await open(client, { pubSub })];
    const heard: Change[] = [];
    const stop = await locks.inspector.changes((change) => void heard.push(change));
    const hold = await elsewhere.lock('a').acquire();
    const waiting = (await open(client, { pubSub })).lock('a').acquire();
    const isTold = () => heard.some((one) => one.what === 'name' && one.kind === 'lock' && one.name === 'a');
    // Of a release where messages go to all; where they do not, that a client waits.
    if (pubSub === 'sharded') await waitFor('it is notified', isTold);
    await hold.release();
    await (await waiting).release();
    await waitFor('it is notified', isTold);
    expect(heard.every(({ what }) => what === 'name')).toBeTruthy();
    stop();
  });

  test('takes away what was seen', async () => {
    const [locks, elsewhere] = [await open(client, { pubSub }), await open(client, { pubSub })];
    const hold = await locks.lock('a').acquire();
    const waiting = elsewhere.lock('a').acquire();
    await waitFor('it waits', async () => (await elsewhere.lock('a').waiters()) > 0);
    expect(await elsewhere.inspector.forceRelease('lock', 'a', { fence: hold.fence + 1n })).toBe(false);
    expect(await elsewhere.inspector.forceRelease('lock', 'a', { fence: hold.fence })).toBe(true);
    await (await waiting).release();
  });
});
