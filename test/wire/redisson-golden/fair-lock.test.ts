import { expect, test } from 'vitest';
import { fairLockForm } from '../../../src/engines/redis/locks/fair-lock-form.ts';
import { lockProtocol } from '../../../src/engines/redis/locks/lock-protocol.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { asking, expectAround, type GoldenStage, goldenStage } from './golden-stage.ts';
import { A, B, C, D } from './owners.ts';

const one = { fences: 1 };
const lockOf = ({ parts }: GoldenStage) => lockProtocol(parts, fairLockForm(parts));
const queueOf = (name: string) => `redisson_lock_queue:{${name}}`;
const deadlinesOf = (name: string) => `redisson_lock_timeout:{${name}}`;
const channelOf = (name: string, owner: string) => `redisson_lock__channel:{${name}}:${owner}`;
/** What Java does not know of: what ours have contributed, until when they are kept, how a release lets them in, how many they are. */
const contributionsOf = (name: string) => `holdfast_lock_wait:{${name}}`;

const waiting = (owner: string, interestMs: number) =>
  asking(owner, 30_000, { ...one, wait: true, interestMs });

/** Java stands in line: behind the last, or for as long as the lock is held and then so long. */
async function javaWaits(stage: GoldenStage, name: string, owner: string, waitMs: number): Promise<void> {
  const [last] = (await stage.command('LRANGE', queueOf(name), -1, -1)) as string[];
  const chain = last && Number(await stage.command('ZSCORE', deadlinesOf(name), last));
  const from = chain || (await stage.nowMs()) + (await stage.ttl(name));
  await stage.command('ZADD', deadlinesOf(name), from + waitMs, owner);
  await stage.command('RPUSH', queueOf(name), owner);
}

/** Java, first in line of a free lock, enters: it takes what it waited off all others. */
async function javaEnters(stage: GoldenStage, name: string, owner: string, waitMs: number): Promise<void> {
  await stage.command('LPOP', queueOf(name));
  await stage.command('ZREM', deadlinesOf(name), owner);
  for (const other of (await stage.scores(deadlinesOf(name))).keys())
    await stage.command('ZINCRBY', deadlinesOf(name), -waitMs, other);
  await stage.command('HSET', name, owner, 1);
  await stage.command('PEXPIRE', name, 30_000);
}

/** A holds, B waits and C behind it; all of them ours. */
async function ourLine(stage: GoldenStage, name: string) {
  const lock = lockOf(stage);
  await lock.acquire(name, asking(A, 30_000, one));
  await lock.acquire(name, waiting(B, 300_000));
  await lock.acquire(name, waiting(C, 50_000));
  return lock;
}

describeRedis('a fair lock in the layout of Redisson', () => {
  const golden = goldenStage();

  test('fair-lock-line', async () => {
    const { stage, name } = await golden();
    await ourLine(stage, name);
    const scores = await stage.scores(deadlinesOf(name));
    await expect(stage.hash(name)).resolves.toEqual({ [A]: '1' });
    await expect(stage.command('LRANGE', queueOf(name), 0, -1)).resolves.toEqual([B, C]);
    expect([...scores.keys()]).toEqual([B, C]);
    expectAround(scores.get(B)! - (await stage.nowMs()), 300_000);
    expect(scores.get(C)! - scores.get(B)!).toBe(50_000);
    const base = scores.get(B)! - 300_000;
    await expect(stage.hash(contributionsOf(name))).resolves.toEqual({
      [B]: `300000 ${base + 300_000} 0 0 1`,
      [C]: `50000 ${base + 50_000} 0 0 1`,
    });
    // Neither ends by itself, as with Java; only what is ours alone does.
    await expect(stage.ttl(queueOf(name))).resolves.toBe(-1);
    await expect(stage.ttl(deadlinesOf(name))).resolves.toBe(-1);
    expect(await stage.ttl(contributionsOf(name))).toBeGreaterThan(300_000);

    // Behind a thread of Java, C has the very deadline that Java would have given it.
    const mixed = `${name}-mixed`;
    const lock = lockOf(stage);
    await lock.acquire(mixed, asking(A, 30_000, one));
    await javaWaits(stage, mixed, B, 300_000);
    await lock.acquire(mixed, waiting(C, 50_000));
    const both = await stage.scores(deadlinesOf(mixed));
    expectAround(both.get(B)! - (await stage.nowMs()), 330_000);
    expect(both.get(C)! - both.get(B)!).toBe(50_000);
  });

  test('fair-lock-single-try', async () => {
    const { stage, name } = await golden();
    const lock = await ourLine(stage, name);
    await expect(lock.acquire(name, asking(D, 30_000, one))).resolves.toMatchObject({ kind: 'busy' });
    await expect(stage.command('LRANGE', queueOf(name), 0, -1)).resolves.toEqual([B, C]);
    // Nor does it take a free lock past those who wait.
    await lock.release(name, { owner: A });
    await expect(lock.acquire(name, asking(D, 30_000, one))).resolves.toMatchObject({ kind: 'busy' });
    await expect(stage.command('LRANGE', queueOf(name), 0, -1)).resolves.toEqual([B, C]);
    await expect(stage.scores(deadlinesOf(name))).resolves.toHaveProperty('size', 2);
  });

  test('fair-lock-released', async () => {
    const { stage, name } = await golden();
    const lock = await ourLine(stage, name);
    await stage.heard();
    await expect(lock.release(name, { owner: A })).resolves.toEqual({ kind: 'released', others: 2 });
    await expect(stage.exists(name)).resolves.toBe(false);
    await expect(stage.heard()).resolves.toEqual([[channelOf(name, B), '0']]);
  });

  test('fair-lock-asked-out-of-turn', async () => {
    const { stage, name } = await golden();
    const lock = await ourLine(stage, name);
    await lock.release(name, { owner: A });
    const refused = await lock.acquire(name, waiting(C, 50_000));
    expect(refused).toMatchObject({ kind: 'busy' });
    expect('againInMs' in refused && refused.againInMs).toBeGreaterThan(1000);
    await expect(stage.command('LRANGE', queueOf(name), 0, -1)).resolves.toEqual([B, C]);
  });

  test('fair-lock-released-by-a-stranger', async () => {
    const { stage, name } = await golden();
    const lock = await ourLine(stage, name);
    await lock.release(name, { owner: A });
    await stage.heard();
    await expect(lock.release(name, { owner: D })).resolves.toEqual({ kind: 'not-held' });
    await expect(stage.heard()).resolves.toEqual([[channelOf(name, B), '0']]);
    await expect(stage.command('LRANGE', queueOf(name), 0, -1)).resolves.toEqual([B, C]);
  });

  test('fair-lock-entered-by-the-first', async () => {
    const { stage, name } = await golden();
    const lock = await ourLine(stage, name);
    await javaWaits(stage, name, D, 7000);
    const before = await stage.scores(deadlinesOf(name));
    await lock.release(name, { owner: A });
    await expect(lock.acquire(name, waiting(B, 300_000))).resolves.toMatchObject({ kind: 'granted' });
    await expect(stage.command('LRANGE', queueOf(name), 0, -1)).resolves.toEqual([C, D]);
    const after = await stage.scores(deadlinesOf(name));
    expect(after.get(C)).toBe(before.get(C)! - 300_000);
    expect(after.get(D), 'a thread of Java behind it').toBe(before.get(D)! - 300_000);
    await expect(stage.hash(contributionsOf(name))).resolves.toEqual({ [C]: `50000 ${after.get(C)!} 0 0 1` });

    // The client that gives up takes off exactly what it had brought.
    await expect(lock.release(name, { owner: C })).resolves.toEqual({ kind: 'not-held' });
    await expect(stage.scores(deadlinesOf(name))).resolves.toEqual(new Map([[D, after.get(D)! - 50_000]]));

    // The other way round: Java enters before ours, and takes off what it had waited.
    const mixed = `${name}-mixed`;
    await lock.acquire(mixed, asking(A, 30_000, one));
    await javaWaits(stage, mixed, B, 300_000);
    await lock.acquire(mixed, waiting(C, 50_000));
    const chained = (await stage.scores(deadlinesOf(mixed))).get(C)!;
    await stage.heard();
    await lock.release(mixed, { owner: A });
    await expect(stage.heard()).resolves.toEqual([[channelOf(mixed, B), '0']]);
    await javaEnters(stage, mixed, B, 300_000);
    expect((await stage.scores(deadlinesOf(mixed))).get(C)).toBe(chained - 300_000);
    // Not in the past, where Java would drop it; and it is let in when Java leaves.
    expect(chained - 300_000).toBeGreaterThan(await stage.nowMs());
    await expect(lock.acquire(mixed, waiting(C, 50_000))).resolves.toMatchObject({ kind: 'busy' });
    await stage.command('DEL', mixed);
    await expect(lock.acquire(mixed, waiting(C, 50_000))).resolves.toMatchObject({ kind: 'granted' });
    await expect(stage.exists(queueOf(mixed))).resolves.toBe(false);
    await expect(stage.exists(deadlinesOf(mixed))).resolves.toBe(false);
  });

  test('forced-fair-lock', async () => {
    const { stage, name } = await golden();
    const lock = lockOf(stage);
    await lock.acquire(name, asking(A, 30_000, one));
    await javaWaits(stage, name, B, 300_000);
    await stage.heard();
    await expect(lock.force(name, {})).resolves.toMatchObject({ kind: 'forced', holder: { owner: A } });
    await expect(stage.exists(name)).resolves.toBe(false);
    await expect(stage.command('LRANGE', queueOf(name), 0, -1)).resolves.toEqual([B]);
    await expect(stage.heard()).resolves.toEqual([[channelOf(name, B), '0']]);
    await expect(lock.force(name, {})).resolves.toEqual({ kind: 'not-forced' });
    await expect(stage.heard()).resolves.toEqual([]);
  });
});
