import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisCluster } from '../../fixtures/redis/redis-cluster.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { CLIENT_NAMES, openLocks } from './open-locks.ts';

const evicting = { 'maxmemory-policy': 'volatile-ttl' };

/** How often the server was asked for anything by INFO, refused questions included, before this look. */
async function asksAt(server: RedisServer): Promise<number> {
  const told = String(await server.command('INFO', 'commandstats'));
  const [, calls = 0, rejected = 0] = /^cmdstat_info:calls=(\d+).*rejected_calls=(\d+)/m.exec(told) ?? [];
  return Number(calls) + Number(rejected);
}

describeRedis('a server that throws keys away when its memory is full', () => {
  let warnings: Error[] = [];
  const note = (warning: Error & { readonly code?: string }): void => {
    if (warning.code === 'HOLDFAST_EVICTION') warnings.push(warning);
  };
  beforeEach(() => {
    warnings = [];
    process.on('warning', note);
  });
  afterEach(() => void process.off('warning', note));

  test.each(CLIENT_NAMES)('%s: is warned of once for each engine object', async (client) => {
    await using server = await startRedisServer({ args: evicting });
    await using locks = await openLocks(client, server);
    const troubles: unknown[] = [];
    locks.on('trouble', ({ error }) => troubles.push(error));
    expect(warnings).toEqual([]);

    for (const name of ['a', 'b', 'c']) await locks.lock(name).run(() => undefined);
    await waitFor('it was warned of', () => warnings.length > 0);
    await locks.fairLock('d').run(() => undefined);

    expect(warnings.map(String)).toEqual([expect.stringContaining('maxmemory-policy volatile-ttl')]);
    expect(troubles).toEqual([expect.objectContaining({ code: 'ENGINE', retryable: false })]);
    await using others = await openLocks(client, server);
    await others.lock('a').run(() => undefined);
    await waitFor('it was warned of again', () => warnings.length === 2);
  });

  test('is warned of in a cluster, too', async () => {
    await using cluster = await startRedisCluster({ replicasPerMaster: 0 });
    const place = { cluster: cluster.nodes.map(({ port }) => port) };
    await cluster.nodes[2]?.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-random');
    for (const client of CLIENT_NAMES) {
      warnings = [];
      await using locks = await openLocks(client, place);
      await locks.lock('a').run(() => undefined);
      await waitFor('it was warned of', () => warnings.length > 0);
      expect(String(warnings[0])).toContain(
        `${cluster.nodes[2]?.port} has the maxmemory-policy allkeys-random`,
      );
    }
  });

  test('is not warned of when it throws nothing away, nor when we may not ask', async () => {
    await using good = await startRedisServer();
    await using server = await startRedisServer({ args: evicting });
    await server.command('ACL', 'SETUSER', 'worker', 'on', '>secret', '~*', '&*', '+@all', '-info');
    await using well = await openLocks('node-redis', good);
    await using locks = await openLocks('node-redis', {
      port: server.port,
      username: 'worker',
      password: 'secret',
    });
    const [goodBefore, before] = [await asksAt(good), await asksAt(server)];
    for (const each of [well, locks]) await each.lock('a').run(() => undefined);
    // Each look asks once itself.
    let looks = 0;
    await waitFor('both were asked', async () => {
      looks++;
      const [asksAtGood, asks] = await Promise.all([asksAt(good), asksAt(server)]);
      return asksAtGood > goodBefore + looks && asks > before + looks;
    });
    // The answer is on its way on the connection of the next lock, before that lock's.
    for (const each of [well, locks]) await each.lock('a').run(() => undefined);
    expect(warnings).toEqual([]);
  });
});
