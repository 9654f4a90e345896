import { expect, test } from 'vitest';
import type { Synchronizers } from '../../../src/index.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { CLIENT_NAMES, openLocks } from './open-locks.ts';

const GENEROUS_MS = 30_000;
const MEGABYTE = 'y'.repeat(1_000_000);

/** Whatever adds something is refused from now on; with 0 it has room again. */
async function setMemory(server: RedisServer, bytes: 1 | 0): Promise<void> {
  await server.command('CONFIG', 'SET', 'maxmemory', bytes);
}

const outOfMemory = expect.objectContaining({
  code: 'ENGINE',
  retryable: true,
  message: expect.stringMatching(/out of memory/),
});

const refusalOf = (acquiring: Promise<unknown>): Promise<unknown> =>
  acquiring.then(
    () => 'it went well',
    (error: unknown) => error,
  );

/** How often a server has refused something for lack of memory. */
async function refusals(server: RedisServer): Promise<number> {
  const { errorstat_OOM = '' } = await server.info('errorstats');
  return Number(/count=(\d+)/.exec(errorstat_OOM)?.[1] ?? 0);
}

/** Has something until it leaves. */
interface Having {
  leave(): Promise<unknown>;
}

async function held(acquiring: Promise<{ release(): Promise<unknown> }>): Promise<Having> {
  const hold = await acquiring;
  return { leave: () => hold.release() };
}

function inMonitor(locks: Synchronizers): Promise<Having> {
  return new Promise((entered, reject) => {
    const inside: Promise<void> = locks.monitor('it', { initial: 0 }).run(
      () =>
        new Promise<void>((left) => {
          entered({ leave: () => (left(), inside) });
        }),
    );
    inside.catch(reject);
  });
}

/** Everything that keeps others waiting. */
const HAVING: Readonly<Record<string, (locks: Synchronizers) => Promise<Having>>> = {
  lock: (locks) => held(locks.lock('it').acquire()),
  fairLock: (locks) => held(locks.fairLock('it').acquire()),
  writeLock: (locks) => held(locks.readWriteLock('it').write.acquire()),
  semaphore: (locks) => held(locks.semaphore('it', { permits: 1 }).acquire()),
  permitSemaphore: (locks) => held(locks.permitSemaphore('it', { permits: 1 }).acquire()),
  election: (locks) => held(locks.election('it').campaign()),
  monitor: inMonitor,
};

describeRedis('a server that is out of memory', { timeout: 2 * GENEROUS_MS }, () => {
  test.concurrent.each(CLIENT_NAMES)(
    '%s: takes in no newcomer of any kind, and says so at once',
    async (client) => {
      await using server = await startRedisServer();
      await using locks = await openLocks(client, server);
      await locks.lock('warm').run(() => undefined);
      await setMemory(server, 1);
      const state = locks.monitor('state', { initial: '' });
      expect(await refusalOf(state.run((m) => m.set(MEGABYTE)))).toEqual(outOfMemory);
      expect(await refusalOf(locks.election('leader').campaign({ value: 'me' }))).toEqual(outOfMemory);
      expect(await refusalOf(locks.barrier('start', { parties: 2 }).arrive())).toEqual(outOfMemory);
      expect(await refusalOf(locks.lock('new').acquire({ timeoutMs: GENEROUS_MS }))).toEqual(outOfMemory);
      for (const name of ['state', 'leader', 'start']) {
        expect(await server.command('KEYS', `*{${name}}*`)).toEqual([]);
      }
      expect(await server.command('EXISTS', 'new')).toBe(0);
    },
  );

  test.concurrent.each(CLIENT_NAMES)(
    '%s: takes no longer value, and ends the hold of a client that brings one',
    async (client) => {
      await using server = await startRedisServer();
      await using locks = await openLocks(client, server);
      const state = locks.monitor('state', { initial: 'a' });
      await state.run((m) => m.set('abc'));
      const leading = await locks.election('leader').campaign({ value: 'me' });
      const setAndFill = async (m: { set(value: string): void }, value: string) => {
        m.set(value);
        await setMemory(server, 1);
      };
      expect(await refusalOf(state.run((m) => setAndFill(m, MEGABYTE)))).toEqual(outOfMemory);
      expect(await refusalOf(leading.proclaim(MEGABYTE))).toEqual(outOfMemory);
      expect(await state.peek()).toBe('abc');
      await waitFor('it was left all the same', async () => !(await state.isLocked()));
      leading.throwIfLost();
      await leading.proclaim('I');
      await leading.resign();
      await setMemory(server, 0);
      await state.run((m) => setAndFill(m, 'b'));
      expect(await state.peek()).toBe('b');
    },
  );

  for (const [kind, have] of Object.entries(HAVING)) {
    test.concurrent(`${kind}: goes on and leaves, and its waiters keep waiting`, async () => {
      await using server = await startRedisServer();
      // Renewed, and asked for again, every second.
      await using locks = await openLocks('node-redis', server, { renewalLeaseMs: 3000 });
      await using other = await openLocks('ioredis', server, { renewalLeaseMs: 3000 });
      const first = await have(locks);
      const contended = new Promise((resolve) => {
        other.on('contended', resolve);
      });
      const waiting = have(other);
      await contended;
      await setMemory(server, 1);
      // After many of them it has outlived its lease, and a waiter has asked again.
      await waitFor('the waiter was refused', async () => (await refusals(server)) > 0, GENEROUS_MS);
      await first.leave();
      const before = await refusals(server);
      await waitFor('and asks again', async () => (await refusals(server)) > before + 1, GENEROUS_MS);
      await setMemory(server, 0);
      const second = await waiting;
      expect(await second.leave().then(() => 'left')).toBe('left');
    });
  }

  test.concurrent('a party of a barrier keeps its place', async () => {
    await using server = await startRedisServer();
    // It asks for its place again every half second.
    await using locks = await openLocks('node-redis', server, { renewalLeaseMs: 1500 });
    const barrier = locks.barrier('start', { parties: 2 });
    const arriving = barrier.arrive();
    await waitFor('it has arrived', async () => (await barrier.waiting()) === 1);
    await setMemory(server, 1);
    const versions = new Set<unknown>();
    await waitFor(
      'it has asked four times',
      async () => {
        versions.add(await server.command('HGET', 'holdfast_barrier:{start}', 'version'));
        return versions.size > 4;
      },
      GENEROUS_MS,
    );
    await setMemory(server, 0);
    expect((await barrier.arrive()).index).toBe(0);
    expect((await arriving).index).toBe(1);
  });

  test.concurrent('a party of a barrier whose time ends breaks it as a time-out', async () => {
    await using server = await startRedisServer();
    await using locks = await openLocks('node-redis', server, { renewalLeaseMs: 6000 });
    const barrier = locks.barrier('start', { parties: 3 });
    const patient = refusalOf(barrier.arrive());
    await waitFor('one has arrived', async () => (await barrier.waiting()) === 1);
    const hasty = refusalOf(barrier.arrive({ timeoutMs: 2500 }));
    await waitFor('both have arrived', async () => (await barrier.waiting()) === 2);
    await setMemory(server, 1);
    expect(await hasty).toMatchObject({ code: 'ACQUIRE_TIMEOUT' });
    expect(await patient).toMatchObject({ code: 'BROKEN_BARRIER', reason: 'timeout' });
  });
});
