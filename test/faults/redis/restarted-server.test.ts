import { expect, test } from 'vitest';
import { isHoldfastError } from '../../../src/index.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { FencedRegister } from './fenced-register.ts';
import { holdables } from './holdables.ts';
import { lossOf } from './losses.ts';
import { CLIENT_NAMES, openLocks } from './open-locks.ts';

const durable = { appendonly: 'yes', appendfsync: 'always' };
const settings = { renewalLeaseMs: 4500, commandTimeoutMs: 1000 };

describeRedis('a server that is killed and started again', () => {
  test.concurrent.each(CLIENT_NAMES)(
    '%s: with its data, it is as if nothing had happened',
    async (client) => {
      await using server = await startRedisServer({ args: durable });
      await using locks = await openLocks(client, server, settings);
      await using other = await openLocks(client, server, settings);
      const held = await Promise.all(holdables(locks).map(({ acquire }) => acquire()));
      const contended = new Set<string>();
      other.on('contended', ({ kind }) => contended.add(kind));
      const waiting = holdables(other).map(({ acquire }) => acquire());
      await waitFor('all of them wait', () => contended.size === waiting.length);

      await server.kill();
      await server.restart();

      // Longer than a lease since it was killed: each has been renewed by the new process.
      await new Promise((resolve) => setTimeout(resolve, settings.renewalLeaseMs));
      for (const hold of held) hold.throwIfLost();
      for (const hold of held) await hold.release();
      for (const [at, next] of (await Promise.all(waiting)).entries()) {
        expect(next.fence).toBeGreaterThan(held[at]?.fence ?? 0n);
        await next.release();
      }
    },
  );

  test.concurrent.each(CLIENT_NAMES)(
    '%s: without its data, the fence tells the two holders apart',
    async (client) => {
      await using server = await startRedisServer();
      await using resource = await startRedisServer();
      await using locks = await openLocks(client, server, settings);
      await using other = await openLocks(client, server, settings);
      const all = holdables(locks);
      const held = await Promise.all(all.map(({ acquire }) => acquire()));
      const losses = held.map(lossOf);
      const waiting = holdables(other).map(({ acquire }) => acquire());

      await server.kill();
      await server.restart({ empty: true });

      const next = await Promise.all(waiting);
      for (const [at, { kind }] of all.entries()) {
        using register = await FencedRegister.open(resource.port, kind);
        const [before, after] = [held[at], next[at]];
        if (before === undefined || after === undefined) throw new Error('Nothing is held.');
        expect(after.fence).toBeGreaterThan(before.fence);
        expect(await register.read(after.fence)).toBe(0);
        expect(await register.write(before.fence, 1)).toBe(false);
        expect(await register.write(after.fence, 2)).toBe(true);
      }
      // At the next renewal, and not when the lease would have ended.
      for (const loss of losses)
        expect((await loss).reason).toMatchObject({ code: 'LEASE_LOST', reason: 'gone' });
      for (const hold of next) hold.throwIfLost();
    },
  );

  test.concurrent.each(CLIENT_NAMES)('%s: again and again, it strands no waiter', async (client) => {
    await using server = await startRedisServer();
    await using locks = await openLocks(client, server, { renewalLeaseMs: 1000, commandTimeoutMs: 1000 });
    await using other = await openLocks(client, server, { renewalLeaseMs: 1000, commandTimeoutMs: 1000 });
    let working = true;
    let done = 0;
    const fences: bigint[] = [];
    const refusals = new Set<unknown>();
    const work = async (engine: typeof locks): Promise<void> => {
      while (working) {
        try {
          await engine.lock('again').run((hold) => void fences.push(hold.fence));
          done += 1;
        } catch (error) {
          refusals.add(isHoldfastError(error) ? error.code : error);
        }
      }
    };
    const workers = [work(locks), work(other)];
    for (let time = 0; time < 4; time += 1) {
      const before = done;
      await waitFor('they work', () => done > before + 20);
      await server.kill();
      await server.restart({ empty: true });
    }
    const before = done;
    await waitFor('they work on', () => done > before + 20);
    working = false;
    await Promise.all(workers);
    // What was not acquired, or was lost with the data: nothing else.
    expect(['ENGINE', 'LEASE_LOST']).toEqual(expect.arrayContaining([...refusals]));
    expect(new Set(fences).size).toBe(fences.length);
    expect(fences.filter((fence, at) => at > 0 && fence < (fences[at - 1] ?? 0n))).toEqual([]);
  });
});
