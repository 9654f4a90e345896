import { expect, test } from 'vitest';
import { readWriteLockProtocol } from '../../../src/engines/redis/locks/read-write-lock-protocol.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { asking, expectAround, type GoldenStage, goldenStage } from './golden-stage.ts';
import { A, B, C } from './owners.ts';

const reading = { side: 'read' } as const;
const writing = { side: 'write' } as const;
const lockOf = ({ parts }: GoldenStage) => readWriteLockProtocol(parts);
const channelOf = (name: string) => `redisson_rwlock:{${name}}`;
const holdOf = (name: string, owner: string, count = 1) => `{${name}}:${owner}:rwlock_timeout:${count}`;

/** A thread of Java reads, as often as there are times. */
async function javaReads(
  stage: GoldenStage,
  name: string,
  owner: string,
  ...leasesMs: number[]
): Promise<void> {
  await stage.command('HSET', name, 'mode', 'read', owner, leasesMs.length);
  for (const [at, leaseMs] of leasesMs.entries())
    await stage.command('SET', holdOf(name, owner, at + 1), 1, 'PX', leaseMs);
  await stage.command('PEXPIRE', name, Math.max(...leasesMs));
}

describeRedis('a read-write lock in the layout of Redisson', () => {
  const golden = goldenStage();

  test('read-lock-shared', async () => {
    const { stage, name } = await golden();
    const lock = lockOf(stage);
    await javaReads(stage, name, A, 30_000, 60_000);
    const granted = await lock.acquire(name, asking(B, 15_000, reading));
    expect(granted.kind).toBe('granted');
    await expect(stage.hash(name)).resolves.toEqual({ mode: 'read', [A]: '2', [B]: '1' });
    expectAround(await stage.ttl(holdOf(name, A, 1)), 30_000);
    expectAround(await stage.ttl(holdOf(name, A, 2)), 60_000);
    expectAround(await stage.ttl(holdOf(name, B)), 15_000);
    expectAround(await stage.ttl(name), 60_000);
    const fence = 'fence' in granted ? granted.fence : 0;
    await expect(stage.command('GET', holdOf(name, B))).resolves.toBe(String(fence));

    // Asked for again it is the same hold; and a longer one lengthens the hash.
    await expect(lock.acquire(name, asking(B, 15_000, reading))).resolves.toMatchObject({
      kind: 'granted',
      fence,
    });
    await lock.acquire(name, asking(C, 90_000, reading));
    await expect(stage.hash(name)).resolves.toEqual({ mode: 'read', [A]: '2', [B]: '1', [C]: '1' });
    expectAround(await stage.ttl(name), 90_000);
  });

  test('read-lock-upgrade', async () => {
    const { stage, name } = await golden();
    const lock = lockOf(stage);
    await javaReads(stage, name, A, 30_000, 60_000);
    await lock.acquire(name, asking(B, 15_000, reading));
    await expect(lock.acquire(name, asking(B, 15_000, writing))).resolves.toEqual({ kind: 'upgrade' });
    const refused = await lock.acquire(name, asking(C, 15_000, writing));
    expect(refused.kind).toBe('busy');
    expectAround('againInMs' in refused ? refused.againInMs : 0, 15_001);
  });

  test('read-lock-released', async () => {
    const { stage, name } = await golden();
    const lock = lockOf(stage);
    await lock.acquire(name, asking(A, 60_000, reading));
    await lock.acquire(name, asking(B, 15_000, reading));
    await expect(lock.release(name, { owner: A, ...reading })).resolves.toMatchObject({ kind: 'released' });
    await expect(stage.hash(name)).resolves.toEqual({ mode: 'read', [B]: '1' });
    await expect(stage.exists(holdOf(name, A))).resolves.toBe(false);
    expectAround(await stage.ttl(name), 15_000);
    await expect(stage.heard()).resolves.toEqual([]);
    await expect(lock.release(name, { owner: B, ...reading })).resolves.toMatchObject({ kind: 'released' });
    await expect(stage.keysAbout(name)).resolves.toEqual([`redisson_lock_token:{${name}}`]);
    await expect(stage.heard()).resolves.toEqual([[channelOf(name), '0']]);

    // Both holds of a thread of Java count.
    const mixed = `${name}-mixed`;
    await javaReads(stage, mixed, A, 30_000, 60_000);
    await lock.acquire(mixed, asking(B, 90_000, reading));
    await lock.release(mixed, { owner: B, ...reading });
    await expect(stage.hash(mixed)).resolves.toEqual({ mode: 'read', [A]: '2' });
    expectAround(await stage.ttl(mixed), 60_000);
    await expect(stage.heard()).resolves.toEqual([]);
    // One that has died protects nothing.
    await lock.acquire(mixed, asking(B, 90_000, reading));
    await stage.command('DEL', holdOf(mixed, A, 1), holdOf(mixed, A, 2));
    await lock.release(mixed, { owner: B, ...reading });
    await expect(stage.exists(mixed)).resolves.toBe(false);
    await expect(stage.heard()).resolves.toEqual([[channelOf(mixed), '0']]);
  });

  test('write-lock-with-read', async () => {
    const { stage, name } = await golden();
    const lock = lockOf(stage);
    await lock.acquire(name, asking(A, 30_000, writing));
    await lock.acquire(name, asking(A, 30_000, writing));
    await lock.acquire(name, asking(A, 20_000, reading));
    await expect(stage.hash(name)).resolves.toEqual({ mode: 'write', [`${A}:write`]: '1', [A]: '1' });
    expectAround(await stage.ttl(name), 30_000);
    expectAround(await stage.ttl(holdOf(name, A)), 20_000);
    const refused = await lock.acquire(name, asking(B, 30_000, reading));
    expect(refused.kind).toBe('busy');
    expectAround('againInMs' in refused ? refused.againInMs : 0, 30_001);
    await expect(lock.acquire(name, asking(C, 30_000, writing))).resolves.toMatchObject({ kind: 'busy' });

    // A read that the library takes under its own write has an id of its own: to Java, one more thread that reads.
    const below = `${name}-under`;
    await lock.acquire(below, asking(A, 30_000, writing));
    await lock.acquire(below, asking(C, 20_000, { ...reading, under: A }));
    const { mode, [`${A}:write`]: written, ...readers } = await stage.hash(below);
    expect({ mode, written, read: Object.values(readers) }).toEqual({
      mode: 'write',
      written: '1',
      read: ['1'],
    });
    expectAround(await stage.ttl(holdOf(below, Object.keys(readers)[0]!)), 20_000);
    await lock.release(below, { owner: A, ...writing });
    await expect(stage.hash(below)).resolves.toEqual({ mode: 'read', ...readers });
    await lock.release(below, { owner: C, ...reading });
    await expect(stage.exists(below)).resolves.toBe(false);
  });

  test('write-lock-downgraded', async () => {
    const { stage, name } = await golden();
    const lock = lockOf(stage);
    await lock.acquire(name, asking(A, 30_000, writing));
    await lock.acquire(name, asking(A, 20_000, reading));
    await expect(lock.release(name, { owner: A, ...writing })).resolves.toMatchObject({ kind: 'released' });
    await expect(stage.hash(name)).resolves.toEqual({ mode: 'read', [A]: '1' });
    expectAround(await stage.ttl(name), 20_000);
    await expect(stage.heard()).resolves.toEqual([[channelOf(name), '1']]);
    await expect(lock.acquire(name, asking(B, 15_000, reading))).resolves.toMatchObject({ kind: 'granted' });
  });

  test('read-lock-last-one-out', async () => {
    const { stage, name } = await golden();
    const lock = lockOf(stage);
    await lock.acquire(name, asking(A, 30_000, writing));
    await lock.acquire(name, asking(A, 20_000, reading));
    await lock.release(name, { owner: A, ...writing });
    await stage.heard();
    await expect(lock.release(name, { owner: A, ...reading })).resolves.toMatchObject({ kind: 'released' });
    await expect(stage.exists(name)).resolves.toBe(false);
    await expect(stage.heard()).resolves.toEqual([[channelOf(name), '0']]);
  });

  test('read-write-lock-released-when-free', async () => {
    const { stage, name } = await golden();
    const lock = lockOf(stage);
    await expect(lock.release(name, { owner: A, ...writing })).resolves.toEqual({ kind: 'not-held' });
    await expect(stage.heard()).resolves.toEqual([[channelOf(name), '1']]);
    await expect(lock.release(name, { owner: A, ...reading })).resolves.toEqual({ kind: 'not-held' });
    await expect(stage.heard()).resolves.toEqual([[channelOf(name), '0']]);
    await expect(stage.keysAbout(name)).resolves.toEqual([]);
  });

  test('forced-read-lock', async () => {
    const { stage, name } = await golden();
    const lock = lockOf(stage);
    await javaReads(stage, name, A, 30_000, 60_000);
    await lock.acquire(name, asking(B, 15_000, reading));
    await expect(lock.force(name, writing)).resolves.toEqual({ kind: 'not-forced' });
    await expect(stage.heard()).resolves.toEqual([]);
    await expect(lock.force(name, reading)).resolves.toMatchObject({ kind: 'forced', holder: { owner: A } });
    await expect(stage.exists(name)).resolves.toBe(false);
    await expect(stage.exists(holdOf(name, B))).resolves.toBe(false);
    await expect(stage.heard()).resolves.toEqual([[channelOf(name), '0']]);
    await expect(lock.renew(name, { owner: B, leaseMs: 15_000, ...reading })).resolves.toEqual({
      kind: 'gone',
    });
  });

  test('forced-write-lock', async () => {
    const { stage, name } = await golden();
    const lock = lockOf(stage);
    await lock.acquire(name, asking(A, 30_000, writing));
    await expect(lock.force(name, reading)).resolves.toEqual({ kind: 'not-forced' });
    await lock.acquire(name, asking(A, 30_000, reading));
    await expect(lock.force(name, reading)).resolves.toEqual({ kind: 'not-forced' });
    await expect(stage.heard()).resolves.toEqual([]);
    await expect(lock.force(name, writing)).resolves.toMatchObject({ kind: 'forced', holder: { owner: A } });
    await expect(stage.exists(name)).resolves.toBe(false);
    await expect(stage.heard()).resolves.toEqual([[channelOf(name), '1']]);
  });

  test('read-lock-is-locked', async () => {
    const { stage, name } = await golden();
    const lock = lockOf(stage);
    const looks = async () => {
      const { writer, readers } = await lock.look(name);
      return [writer?.owner, readers.map(({ owner }) => owner)];
    };
    await expect(looks()).resolves.toEqual([undefined, []]);
    await javaReads(stage, name, B, 30_000);
    await expect(looks()).resolves.toEqual([undefined, [B]]);
    await stage.command('DEL', name);
    await lock.acquire(name, asking(A, 30_000, writing));
    await expect(looks()).resolves.toEqual([A, []]);
    await lock.acquire(name, asking(A, 30_000, reading));
    await expect(looks()).resolves.toEqual([A, [A]]);
  });

  test('read-lock-renewed-beside-a-longer-one', async () => {
    const { stage, name } = await golden();
    const lock = lockOf(stage);
    await javaReads(stage, name, A, 600_000);
    await lock.acquire(name, asking(B, 15_000, reading));
    await expect(lock.renew(name, { owner: B, leaseMs: 30_000, ...reading })).resolves.toMatchObject({
      kind: 'renewed',
    });
    expectAround(await stage.ttl(holdOf(name, B)), 30_000);
    expectAround(await stage.ttl(holdOf(name, A)), 600_000);
    expectAround(await stage.ttl(name), 600_000);
  });
});
