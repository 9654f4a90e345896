import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisCluster, startRedisCluster } from '../../fixtures/redis/redis-cluster.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { clientKinds } from './client-kinds.ts';
import { type Ear, hears, listen, type OpenDriver, openDriver, writes } from './driver-bench.ts';
import { evaluate, wordOf } from './driver-cases.ts';

const write = (key: string): string[] => evaluate("return redis.call('SET', KEYS[1], 'held')", key);
const count = (key: string): string[] => evaluate("return redis.call('INCR', KEYS[1])", key);

type Party = OpenDriver & { readonly name: string; readonly ear: Ear };

describeRedis('a cluster that changes', { timeout: 60_000 }, () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startRedisCluster();
  });
  afterAll(() => cluster.stop());

  /** One that is at home there. */
  async function keyOf(port: number): Promise<string> {
    return waitFor('a key of that master', async () => {
      const key = randomUUID();
      return (await cluster.masterOf(key)).port === port ? key : undefined;
    });
  }

  async function allParties(key: string): Promise<Party[]> {
    const ports = cluster.nodes.filter(({ isAlive }) => isAlive).map(({ port }) => port);
    return Promise.all(
      clientKinds.map(async (kind) => {
        const open = await openDriver({ user: () => kind.cluster(ports) });
        const ear = await listen(open.driver);
        for (const mode of ['channel', 'pattern', 'shard'] as const) await ear.subscribe(mode, key);
        await open.driver.send(key, ['PING']);
        return { ...open, name: kind.name, ear };
      }),
    );
  }

  async function expectAllHear(key: string, parties: readonly Party[]): Promise<void> {
    const master = await cluster.masterOf(key);
    const publish = async (word: string): Promise<void> => {
      for (const command of ['PUBLISH', 'SPUBLISH']) await master.command(command, key, word);
    };
    for (const { name, ear } of parties)
      await waitFor(`${name} hears by channel, pattern and shard`, () => hears(ear, 3, publish));
  }

  test('has writes confirmed by the replicas of their own master and by no others', async () => {
    const [deaf, hearing] = cluster.nodes;
    const [key, other] = [await keyOf(deaf!.port), await keyOf(hearing!.port)];
    const parties = await allParties(key);
    const replica = await cluster.replicaOf(deaf!);
    await replica.pause();
    for (const { name, driver } of parties) {
      for (let round = 0; round < 5; round += 1) {
        const [written, confirmed] = await driver.sendTogether(key, [write(key), ['WAIT', '1', '20']]);
        expect([name, wordOf(written), wordOf(confirmed)]).toEqual([name, 'OK', 0]);
      }
      const [, confirmed] = await driver.sendTogether(other, [write(other), ['WAIT', '1', '5000']]);
      expect([name, wordOf(confirmed)]).toEqual([name, 1]);
    }
    replica.resume();
    await cluster.waitAgreed();
  });

  test('sends commands where a slot is going', async () => {
    const key = randomUUID();
    const parties = await allParties(key);
    const source = await cluster.masterOf(key);
    const target = cluster.nodes.find((node) => node !== source && cluster.nodes.indexOf(node) < 3)!;
    const migration = await cluster.beginMigration(key, target);
    // The key is not at the source, which says ASK for it.
    for (const [at, { name, driver }] of parties.entries()) {
      expect([name, await driver.send(key, count(key))]).toEqual([name, at * 3 + 1]);
      const outcomes = await driver.sendTogether(key, [count(key), ['WAIT', '0', '0'], count(key)]);
      expect([name, ...outcomes.map(wordOf)]).toEqual([name, at * 3 + 2, expect.any(Number), at * 3 + 3]);
    }
    await migration.moveAllKeys();
    await migration.finish();
    // And now MOVED, to those who do not know.
    const before = parties.length * 3;
    for (const [at, { name, driver }] of parties.entries()) {
      const outcomes = await driver.sendTogether(key, [count(key), ['WAIT', '0', '0']]);
      expect([name, wordOf(outcomes[0])]).toEqual([name, before + at * 2 + 1]);
      expect([name, await driver.send(key, count(key))]).toEqual([name, before + at * 2 + 2]);
      expect([name, driver.nodeOf(key)]).toEqual([name, `127.0.0.1:${target.port}`]);
    }
    for (const { name, ear } of parties) await waitFor(`${name} tells of the gap`, () => ear.gaps > 0);
    await expectAllHear(key, parties);
  });

  test('has a failover in good order', async () => {
    const key = randomUUID();
    const parties = await allParties(key);
    const old = await cluster.masterOf(key);
    const master = await cluster.failover(old);
    for (const { name, driver, ear } of parties) {
      await waitFor(`${name} tells of the gap`, () => ear.gaps > 0);
      await waitFor(`${name} writes`, async () => (await driver.send(key, ['SET', key, '1'])) === 'OK');
      expect([name, driver.nodeOf(key)]).toEqual([name, `127.0.0.1:${master.port}`]);
    }
    await expectAllHear(key, parties);
  });

  test('loses a master', async () => {
    const key = randomUUID();
    const parties = await allParties(key);
    const old = await cluster.masterOf(key);
    await old.kill();
    const master = await cluster.waitForNewMaster(key, old);
    for (const { name, driver, ear } of parties) {
      await waitFor(`${name} writes`, () => writes(driver, key), 20_000);
      await waitFor(`${name} tells of the gap`, () => ear.gaps > 0, 20_000);
      expect([name, driver.nodeOf(key)]).toEqual([name, `127.0.0.1:${master.port}`]);
    }
    await expectAllHear(key, parties);
  });
});
