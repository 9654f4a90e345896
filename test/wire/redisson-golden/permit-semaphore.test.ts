import { expect, test } from 'vitest';
import { permitsProtocol } from '../../../src/engines/redis/locks/permits-protocol.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { asking, expectAround, type GoldenStage, goldenStage } from './golden-stage.ts';

const semaphoreOf = ({ parts }: GoldenStage) => permitsProtocol(parts, 'semaphore');
const channelOf = (name: string) => `redisson_sc:{${name}}`;
const deadlinesOf = (name: string) => `{${name}}:timeout`;
const NEVER = 922_337_203_685_477;

const idOf = (byte: string) => byte.repeat(14) + '0000';
const [aa, bb, cc] = [idOf('aa'), idOf('bb'), idOf('cc')];
const some = (owner: string, permits: number, total: number, leaseMs = 30_000) =>
  asking(owner, leaseMs, { permits, total });
const bytesOf = (id: string) => Buffer.from(id, 'hex');

/** The members as the server has them, byte by byte, and their scores. */
async function members(stage: GoldenStage, name: string): Promise<readonly (readonly [string, number])[]> {
  using bytes = await stage.server.connect({ bulkAs: 'bytes' });
  const words = (await bytes.command('ZRANGE', deadlinesOf(name), 0, -1, 'WITHSCORES')) as Buffer[];
  return words.flatMap((word, at) =>
    at % 2 === 0 ? [[word.toString('hex'), Number(words[at + 1]!.toString())] as const] : [],
  );
}

/** A thread of Java has taken a permit. */
async function javaTakes(stage: GoldenStage, name: string, id: string, until: number): Promise<void> {
  await stage.command('DECR', name);
  await stage.command('ZADD', deadlinesOf(name), until, bytesOf(id));
}

describeRedis('both semaphores in the layout of RPermitExpirableSemaphore', () => {
  const golden = goldenStage();

  test('permits-taken', async () => {
    const { stage, name } = await golden();
    const semaphore = semaphoreOf(stage);
    await expect(semaphore.acquire(name, some(bb, 1, 2, 20_000))).resolves.toMatchObject({ kind: 'granted' });
    await expect(stage.heard()).resolves.toEqual([[channelOf(name), '2']]);
    await javaTakes(stage, name, aa, NEVER);
    const refused = await semaphore.acquire(name, some(cc, 1, 2));
    expect(refused.kind).toBe('busy');
    expectAround('againInMs' in refused ? refused.againInMs : 0, 20_001);
    await expect(stage.command('GET', name)).resolves.toBe('0');
    const [first, last] = await members(stage, name);
    expect(first![0]).toBe(bb);
    expectAround(first![1] - (await stage.nowMs()), 20_000);
    expect(last).toEqual([aa, NEVER]);
    await expect(stage.ttl(deadlinesOf(name))).resolves.toBe(-1);
    await expect(stage.heard()).resolves.toEqual([]);

    // Several of one acquisition are so many of Java's; and the time of the number is that of the set.
    const timed = `${name}-timed`;
    await stage.command('SET', timed, 3, 'PX', 60_000);
    await semaphore.acquire(timed, some(aa, 3, 3));
    await expect(members(stage, timed).then((all) => all.map(([id]) => id))).resolves.toEqual([
      aa,
      aa.slice(0, 28) + '0001',
      aa.slice(0, 28) + '0002',
    ]);
    expectAround(await stage.ttl(deadlinesOf(timed)), 60_000);
    expectAround(await stage.ttl(timed), 60_000);
  });

  test('permits-released', async () => {
    const { stage, name } = await golden();
    const semaphore = semaphoreOf(stage);
    await semaphore.acquire(name, some(aa, 1, 2));
    await semaphore.acquire(name, some(bb, 1, 2));
    await stage.heard();
    await expect(semaphore.release(name, { owner: aa })).resolves.toMatchObject({ kind: 'released' });
    await expect(stage.heard()).resolves.toEqual([[channelOf(name), '1']]);
    await expect(semaphore.release(name, { owner: aa })).resolves.toEqual({ kind: 'not-held' });
    await expect(stage.heard()).resolves.toEqual([]);
    await stage.command('ZADD', deadlinesOf(name), (await stage.nowMs()) - 1, bytesOf(bb));
    await expect(semaphore.release(name, { owner: bb })).resolves.toEqual({ kind: 'not-held' });
    await expect(stage.command('GET', name)).resolves.toBe('2');
    await expect(stage.heard()).resolves.toEqual([[channelOf(name), '2']]);
    await expect(stage.exists(deadlinesOf(name))).resolves.toBe(false);

    // One of Java, whose id was handed to us.
    await javaTakes(stage, name, 'cd'.repeat(16), NEVER);
    await expect(semaphore.release(name, { owner: 'cd'.repeat(16) })).resolves.toMatchObject({
      kind: 'released',
    });
    await expect(stage.heard()).resolves.toEqual([[channelOf(name), '2']]);
  });

  test('permits-released-together', async () => {
    const { stage, name } = await golden();
    const semaphore = semaphoreOf(stage);
    await semaphore.acquire(name, some(aa, 2, 3));
    await stage.heard();
    await expect(semaphore.release(name, { owner: bb })).resolves.toEqual({ kind: 'not-held' });
    await expect(semaphore.release(name, { owner: 'no id of a permit' })).resolves.toEqual({
      kind: 'not-held',
    });
    await expect(stage.command('GET', name)).resolves.toBe('1');
    await expect(stage.heard()).resolves.toEqual([]);
    await expect(semaphore.release(name, { owner: aa })).resolves.toMatchObject({ kind: 'released' });
    await expect(stage.command('GET', name)).resolves.toBe('3');
    await expect(stage.heard()).resolves.toEqual([[channelOf(name), '3']]);
  });

  test('permits-set-and-added', async () => {
    const { stage, name } = await golden();
    const semaphore = semaphoreOf(stage);
    await semaphore.acquire(name, some(aa, 1, 3));
    await stage.heard();
    // Java sets five, and then three again.
    await stage.command('INCRBY', name, 2);
    await expect(semaphore.acquire(name, some(bb, 1, 3))).resolves.toEqual({ kind: 'mismatch', total: 5 });
    await expect(semaphore.look(name)).resolves.toMatchObject({ total: 5, taken: 1 });
    await stage.command('INCRBY', name, -2);
    await expect(semaphore.acquire(name, some(bb, 1, 3))).resolves.toMatchObject({ kind: 'granted' });
    await expect(stage.heard()).resolves.toEqual([]);
    // Fewer than are taken: nothing is free, and nothing below zero is published.
    await stage.command('INCRBY', name, -3);
    await semaphore.release(name, { owner: aa });
    await expect(stage.command('GET', name)).resolves.toBe('-1');
    await expect(stage.heard()).resolves.toEqual([]);
  });

  test('permits-asked-about', async () => {
    const { stage, name } = await golden();
    const semaphore = semaphoreOf(stage);
    await semaphore.acquire(name, some(bb, 1, 3, 20_000));
    await javaTakes(stage, name, aa, NEVER);
    const { total, taken, holders } = await semaphore.look(name);
    expect({ total, taken }).toEqual({ total: 3, taken: 2 });
    expect(holders.map(({ owner, permits }) => [owner, permits])).toEqual([
      [bb, 1],
      [aa, 1],
    ]);
    expectAround(holders[0]!.remainingMs, 20_000);
    expect(holders[1]!.remainingMs).toBeGreaterThan(NEVER / 2);
    await expect(semaphore.renew(name, { owner: cc, leaseMs: 1000 })).resolves.toEqual({ kind: 'gone' });
    // Never shorter, and what has no end keeps none.
    await expect(semaphore.renew(name, { owner: aa, leaseMs: 1000 })).resolves.toMatchObject({
      kind: 'renewed',
    });
    await expect(members(stage, name).then((all) => all[1])).resolves.toEqual([aa, NEVER]);
  });

  test('permits-available', async () => {
    const { stage, name } = await golden();
    const semaphore = semaphoreOf(stage);
    await semaphore.acquire(name, some(bb, 1, 2));
    await stage.command('ZADD', deadlinesOf(name), (await stage.nowMs()) - 1, bytesOf(bb));
    await stage.heard();
    await expect(semaphore.look(name)).resolves.toMatchObject({ total: 2, taken: 0, holders: [] });
    await expect(stage.command('GET', name)).resolves.toBe('1');
    await expect(stage.heard()).resolves.toEqual([]);
    await expect(semaphore.acquire(name, some(aa, 2, 2))).resolves.toMatchObject({ kind: 'granted' });
    await expect(stage.command('GET', name)).resolves.toBe('0');
    await expect(stage.heard()).resolves.toEqual([[channelOf(name), '2']]);
    await expect(members(stage, name)).resolves.toHaveLength(2);
  });
});
