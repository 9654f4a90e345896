import { expect, test } from 'vitest';
import { redis } from 'holdfast/redis';
import { createClient } from 'redis';
import { lockProtocol } from '../../../src/engines/redis/locks/lock-protocol.ts';
import { plainLockForm } from '../../../src/engines/redis/locks/plain-lock-form.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { asking, expectAround, type GoldenStage, goldenStage } from './golden-stage.ts';
import { A, B } from './owners.ts';

const one = { fences: 1 };
const lockOf = ({ parts }: GoldenStage) => lockProtocol(parts, plainLockForm(parts));
const channelOf = (name: string) => `redisson_lock__channel:{${name}}`;
const tokenOf = (name: string) => `redisson_lock_token:{${name}}`;

/** A client of the library as its users have it. */
async function withLibrary(
  stage: GoldenStage,
  body: (library: ReturnType<typeof redis>) => Promise<void>,
  settings = {},
): Promise<void> {
  const client = createClient({ url: stage.server.url });
  await client.connect();
  await using library = redis({ client, ...settings });
  await body(library);
  await library.close();
  client.destroy();
}

describeRedis('a lock in the layout of Redisson', () => {
  const golden = goldenStage();

  test('lock-entered-twice', async () => {
    const { stage, name } = await golden();
    const lock = lockOf(stage);
    const first = await lock.acquire(name, asking(A, 30_000, one));
    const again = await lock.acquire(name, asking(A, 60_000, one));
    expect(first.kind).toBe('granted');
    expect(again).toMatchObject({ ...first, remainingMs: expect.any(Number) });
    await expect(stage.hash(name)).resolves.toEqual({ [A]: '1' });
    expectAround(await stage.ttl(name), 30_000);

    // Entered again in the process: one field, with a count of one.
    await withLibrary(stage, async (library) => {
      const entered = library.lock(`${name}-library`);
      await entered.run(() =>
        entered.run(async () => {
          expect(Object.values(await stage.hash(`${name}-library`))).toEqual(['1']);
        }),
      );
    });
  });

  test('lock-refused', async () => {
    const { stage, name } = await golden();
    const lock = lockOf(stage);
    // A thread of Java that is in twice.
    await stage.command('HSET', name, A, 2);
    await stage.command('PEXPIRE', name, 30_000);
    const refused = await lock.acquire(name, asking(B, 30_000, one));
    expect(refused.kind).toBe('busy');
    expectAround('againInMs' in refused ? refused.againInMs : 0, 30_001);
    await expect(stage.hash(name)).resolves.toEqual({ [A]: '2' });
  });

  test('lock-released-by-a-stranger', async () => {
    const { stage, name } = await golden();
    const lock = lockOf(stage);
    await lock.acquire(name, asking(A, 30_000, one));
    await expect(lock.release(name, { owner: B })).resolves.toEqual({ kind: 'not-held' });
    await expect(stage.hash(name)).resolves.toEqual({ [A]: '1' });
    await expect(stage.keysAbout(name)).resolves.toEqual([name, tokenOf(name)]);
    await expect(stage.heard()).resolves.toEqual([]);
  });

  test('lock-released-once', async () => {
    const { stage, name } = await golden();
    const lock = lockOf(stage);
    await lock.acquire(name, asking(A, 30_000, one));
    await lock.acquire(name, asking(A, 30_000, one));
    await expect(lock.release(name, { owner: A })).resolves.toMatchObject({ kind: 'released' });
    await expect(stage.keysAbout(name)).resolves.toEqual([tokenOf(name)]);

    // Java gives back one of two: the lock is still held.
    await stage.command('HSET', name, B, 2);
    await stage.command('PEXPIRE', name, 30_000);
    await stage.command('HINCRBY', name, B, -1);
    await expect(lock.acquire(name, asking(A, 30_000, one))).resolves.toMatchObject({ kind: 'busy' });
  });

  test('lock-release-repeated', async () => {
    const { stage, name } = await golden();
    const lock = lockOf(stage);
    await lock.acquire(name, asking(A, 30_000, one));
    await lock.release(name, { owner: A });
    await stage.heard();
    await lock.acquire(name, asking(B, 30_000, one));
    await expect(lock.release(name, { owner: A })).resolves.toEqual({ kind: 'not-held' });
    await expect(stage.hash(name)).resolves.toEqual({ [B]: '1' });
    await expect(stage.heard()).resolves.toEqual([]);
  });

  test('lock-released-fully', async () => {
    const { stage, name } = await golden();
    const lock = lockOf(stage);
    await lock.acquire(name, asking(A, 30_000, one));
    await expect(lock.release(name, { owner: A })).resolves.toMatchObject({ kind: 'released' });
    await expect(stage.keysAbout(name)).resolves.toEqual([tokenOf(name)]);
    await expect(stage.heard()).resolves.toEqual([[channelOf(name), '0']]);
  });

  test('lock-released-too-often', async () => {
    const { stage, name } = await golden();
    const lock = lockOf(stage);
    await lock.acquire(name, asking(A, 30_000, one));
    await lock.release(name, { owner: A });
    await stage.heard();
    await expect(lock.release(name, { owner: A })).resolves.toEqual({ kind: 'not-held' });
    await expect(stage.heard()).resolves.toEqual([]);
  });

  test('fenced-lock', async () => {
    const { stage, name } = await golden();
    const lock = lockOf(stage);
    const startMs = await stage.nowMs();
    const first = await lock.acquire(name, asking(A, 30_000, { fences: 3 }));
    await expect(lock.acquire(name, asking(B, 30_000, one))).resolves.toMatchObject({ kind: 'busy' });
    const fence = 'fence' in first ? first.fence : 0;
    expect(fence).toBeGreaterThanOrEqual(startMs * 1000);
    await expect(stage.command('GET', tokenOf(name))).resolves.toBe(String(fence + 2));
    // For as long as the hold, and the time that is set for it after that.
    expectAround(await stage.ttl(tokenOf(name)), 90_000);
    // Java counts on.
    await expect(stage.command('INCR', tokenOf(name))).resolves.toBe(fence + 3);

    // A key that Java has made keeps no end, and a number ahead of the clock is counted on from.
    const ahead = fence + 3_600_000_000;
    const theirs = `${name}-theirs`;
    await stage.command('SET', tokenOf(theirs), ahead);
    await expect(lock.acquire(theirs, asking(A, 30_000, one))).resolves.toMatchObject({ fence: ahead + 1 });
    await expect(stage.ttl(tokenOf(theirs))).resolves.toBe(-1);
  });

  test('renewal-of-three', async () => {
    const { stage, name } = await golden();
    const lock = lockOf(stage);
    const [held, other, absent] = [`${name}-1`, `${name}-2`, `${name}-3`];
    await lock.acquire(held, asking(A, 15_000, one));
    await lock.acquire(other, asking(B, 15_000, one));
    const ask = { owner: A, leaseMs: 30_000 };
    await expect(lock.renewMany([held, other, absent].map((each) => ({ name: each, ask })))).resolves.toEqual(
      [{ kind: 'renewed', remainingMs: 30_000 }, { kind: 'gone' }, { kind: 'gone' }],
    );
    expectAround(await stage.ttl(held), 30_000);
    expectAround(await stage.ttl(other), 15_000);
    await expect(stage.exists(absent)).resolves.toBe(false);
    // A shorter one does not shorten.
    await expect(lock.renew(held, { owner: A, leaseMs: 1000 })).resolves.toMatchObject({ kind: 'renewed' });
    expectAround(await stage.ttl(held), 30_000);
  });

  test('forced-lock', async () => {
    const { stage, name } = await golden();
    const lock = lockOf(stage);
    await expect(lock.force(name, {})).resolves.toEqual({ kind: 'not-forced' });
    await expect(stage.heard()).resolves.toEqual([]);
    const granted = await lock.acquire(name, asking(A, 30_000, one));
    const fence = 'fence' in granted ? granted.fence : 0;
    await expect(lock.force(name, {})).resolves.toMatchObject({
      kind: 'forced',
      holder: { owner: A, fence },
    });
    await expect(stage.exists(name)).resolves.toBe(false);
    await expect(stage.heard()).resolves.toEqual([[channelOf(name), '0']]);
    expect(Number(await stage.command('GET', tokenOf(name)))).toBeGreaterThan(fence);

    // One of Java, which has no fence.
    await stage.command('HSET', name, B, 2);
    await expect(lock.force(name, { owner: A })).resolves.toEqual({ kind: 'not-forced' });
    await expect(lock.force(name, { owner: B })).resolves.toMatchObject({
      kind: 'forced',
      holder: { owner: B },
    });
    await expect(stage.heard()).resolves.toEqual([[channelOf(name), '0']]);
  });

  test('spin-lock', async () => {
    const { stage, name } = await golden();
    await stage.command('HSET', name, A, 1);
    await stage.command('PEXPIRE', name, 60_000);
    await withLibrary(
      stage,
      async (library) => {
        const waiting = library.lock(name).acquire({ timeoutMs: 10_000 });
        await waitFor('it waits', async () => {
          const [, listening] = (await stage.command('PUBSUB', 'NUMSUB', channelOf(name))) as [
            string,
            number,
          ];
          return listening === 1;
        });
        // A spin lock of Java goes without a word.
        await stage.command('DEL', name);
        await (await waiting).release();
      },
      { renewalLeaseMs: 600 },
    );
    await expect(stage.heard()).resolves.toEqual([[channelOf(name), '0']]);
  });

  test('lock-entered-once-only', async () => {
    const { stage, name } = await golden();
    await withLibrary(stage, async (library) => {
      const lock = library.lock(name);
      const hold = await lock.acquire();
      await expect(lock.tryAcquire()).resolves.toBeNull();
      expect(Object.values(await stage.hash(name))).toEqual(['1']);
      await hold.release();
    });
  });
});
