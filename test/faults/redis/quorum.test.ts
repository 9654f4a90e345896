import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RedisSettings } from '../../../src/engines/redis/index.ts';
import { type QuorumError, quorumLock, type Synchronizers } from '../../../src/index.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { startAll } from '../../fixtures/redis/start-all.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { FencedRegister } from './fenced-register.ts';
import { lossOf } from './losses.ts';
import { CLIENT_NAMES, type ClientName, openLocks } from './open-locks.ts';

const MEMBERS = 5;
const longestLeaseMs = 4000;
/** Of a member that is alive: on a busy machine it may not run for hundreds of milliseconds. */
const MEMBER_TIMEOUT_MS = 1000;
const options = { longestLeaseMs, memberTimeoutMs: MEMBER_TIMEOUT_MS };
/** The limit only ends a case that hangs. */
const LIMIT_MS = 90_000;

describeRedis('a lock on five servers', () => {
  let servers: readonly RedisServer[];
  let fleet: Synchronizers[];
  let round = 0;

  beforeAll(async () => {
    servers = await startAll(Array.from({ length: MEMBERS }, () => () => startRedisServer()));
  });
  beforeEach(async () => {
    fleet = [];
    round += 1;
    for (const server of servers) {
      if (!server.isAlive) await server.restart();
      server.resume();
    }
    await Promise.all(servers.map(grownUp));
  });
  afterEach(async () => {
    for (const server of servers) server.resume();
    await Promise.all(fleet.map((locks) => locks.close()));
  });
  afterAll(() => Promise.all(servers.map((server) => server.stop())));

  /** One process of the fleet: a client of each server. */
  async function member(client: ClientName, more: RedisSettings = {}) {
    const settings = { renewalLeaseMs: longestLeaseMs, commandTimeoutMs: MEMBER_TIMEOUT_MS, ...more };
    const engines: Synchronizers[] = [];
    for (const [at, server] of servers.entries()) {
      engines.push(await openLocks(client, server, { ...settings, label: `member ${at}` }));
    }
    fleet.push(...engines);
    return quorumLock(
      engines.map((locks) => locks.lock(`ledger ${round}`)),
      options,
    );
  }

  test(
    'survives the death of two, and no other owner acquires',
    async () => {
      const [one, other] = [await member('node-redis'), await member('ioredis')];
      const hold = await one.acquire();

      await Promise.all(servers.slice(0, 2).map((server) => server.kill()));
      expect(await other.tryAcquire()).toBeNull();
      await pass(1.2 * longestLeaseMs);
      hold.throwIfLost();

      // Empty and young: they would grant it, and do not count.
      await Promise.all(servers.slice(0, 2).map((server) => server.restart({ empty: true })));
      expect(await other.tryAcquire()).toBeNull();
      hold.throwIfLost();

      await hold.release();
      const next = await other.acquire({ timeoutMs: 16_000 });
      expect(next.fence).toBeGreaterThan(hold.fence);
    },
    LIMIT_MS,
  );

  test(
    'survives a pause of two, and forgets nothing when they go on',
    async () => {
      const [one, other] = [await member('node-redis'), await member('ioredis')];
      await servers[3]?.pause();
      await servers[4]?.pause();
      const hold = await one.acquire({ timeoutMs: 16_000 });
      expect(await other.tryAcquire()).toBeNull();
      await pass(1.2 * longestLeaseMs);
      hold.throwIfLost();
      servers[3]?.resume();
      servers[4]?.resume();
      expect(await other.tryAcquire()).toBeNull();
      await hold.release();
      const next = await other.acquire({ timeoutMs: 16_000 });
      expect(next.fence).toBeGreaterThan(hold.fence);
    },
    LIMIT_MS,
  );

  test(
    'belongs to no owner when three have forgotten it, until they could not have given it away',
    async () => {
      const [one, other] = [await member('node-redis'), await member('ioredis')];
      const hold = await one.acquire({ timeoutMs: 16_000 });
      const loss = lossOf(hold);

      await Promise.all(servers.slice(0, 3).map((server) => server.kill()));
      await Promise.all(servers.slice(0, 3).map((server) => server.restart({ empty: true })));

      // A majority would grant it again while the first still believes in it.
      await expect(other.acquire({ timeoutMs: 16_000 })).rejects.toMatchObject({
        code: 'QUORUM',
        answers: expect.arrayContaining([expect.objectContaining({ answer: 'too-young' })]),
      });
      expect((await loss).reason).toMatchObject({ code: 'LEASE_LOST' });
      const next = await waitFor('the members count again', () => other.tryAcquire(), 30_000);
      expect(next.fence).toBeGreaterThan(hold.fence);
      await using resource = await startRedisServer();
      using register = await FencedRegister.open(resource.port);
      expect(await register.read(next.fence)).toBe(0);
      expect(await register.write(hold.fence, 1)).toBe(false);
    },
    LIMIT_MS,
  );

  test(
    'cannot be had while three are dead, and says who answered what',
    async () => {
      const [one, other] = [await member('node-redis'), await member('ioredis')];
      const hold = await one.acquire({ timeoutMs: 16_000 });
      const loss = lossOf(hold);
      await Promise.all(servers.slice(0, 3).map((server) => server.kill()));

      const refusal = await other.acquire({ timeoutMs: 16_000 }).catch((error: unknown) => error);
      expect(refusal).toMatchObject({ code: 'QUORUM' });
      expect((refusal as { answers: unknown[] }).answers).toHaveLength(MEMBERS);
      expect(String(refusal)).toMatch(/member 0: (failed|too-late)/);
      expect((await loss).reason).toMatchObject({ code: 'LEASE_LOST' });
    },
    LIMIT_MS,
  );

  /** With the answer still to come, the next round finds one of its own kind at the member: that is no other holder. */
  test.each(['killed', 'paused'] as const)(
    'cannot be had while three are %s, however often it is asked for',
    async (fate) => {
      for (const client of CLIENT_NAMES) {
        const lock = await member(client, { commandTimeoutMs: 2000 });
        await lock.run(() => undefined, { timeoutMs: 16_000 });
        const away = servers.slice(0, 3);
        await Promise.all(away.map((server) => (fate === 'killed' ? server.kill() : server.pause())));
        for (let time = 0; time < 3; time += 1) {
          const outcome = await lock.tryAcquire().catch((error: unknown) => error);
          expect([client, time, outcome]).toEqual([
            client,
            time,
            expect.objectContaining({ code: 'QUORUM' }),
          ]);
          const { answers } = outcome as QuorumError;
          expect(answers.filter(({ answer }) => answer === 'busy')).toEqual([]);
        }
        for (const server of away) {
          if (!server.isAlive) await server.restart();
          server.resume();
        }
        await waitFor('they are there again', () => lock.run(() => true, { timeoutMs: 3000 }), 30_000);
      }
    },
    LIMIT_MS,
  );
});

/** It tells its age in whole seconds. */
async function grownUp(server: RedisServer): Promise<void> {
  await waitFor('the server is older than the longest lease', async () => {
    return Number((await server.info('server'))['uptime_in_seconds']) * 1000 >= longestLeaseMs;
  });
}

function pass(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
