import { expect, test } from 'vitest';
import type { Lock } from '../../../src/index.ts';
import { describeJava } from '../java-build.ts';
import { nodeSide } from './sides.ts';
import { interopStage } from './stage.ts';

// What Redisson's own tests assert of each kind of lock between its threads, asserted here between a Java thread and Node.
const KINDS = ['lock', 'fairLock', 'writeLock'] as const;

describeJava.concurrent.each(KINDS)('of every kind of lock: %s', (kind) => {
  const stage = interopStage({ version: 'redisson-4', topology: 'single server', client: 'node-redis' });
  const newLock = () => {
    const name = stage().newName();
    return { name, java: stage().thread(), lock: nodeSide(stage().locks, kind, name) as Lock };
  };

  test('testGetHoldCount', async () => {
    const { name, java, lock } = newLock();
    const seen: unknown[] = [];
    const look = async (): Promise<void> => {
      seen.push([await java.call(kind, name, 'getHoldCount'), await lock.isLocked()]);
    };
    await look();
    for (const method of ['lock', 'unlock', 'lock', 'lock', 'unlock', 'unlock']) {
      await java.call(kind, name, method);
      await look();
    }
    const expected = [0, 1, 0, 1, 2, 1, 0].map((count) => [count, count > 0]);
    expect(seen).toEqual(expected);
    await using hold = await lock.acquire();
    expect(await java.call(kind, name, 'getHoldCount')).toBe(0);
    hold.throwIfLost();
  });

  test('testIsHeldByCurrentThread', async () => {
    const { name, java, lock } = newLock();
    const hold = await lock.acquire();
    expect(await java.call(kind, name, 'isHeldByCurrentThread')).toBe(false);
    await hold.release();
    await java.call(kind, name, 'lock');
    expect(await java.call(kind, name, 'isHeldByCurrentThread')).toBe(true);
    expect(await stage().thread().call(kind, name, 'isHeldByCurrentThread')).toBe(false);
    await java.call(kind, name, 'unlock');
  });

  test('testIsLockedOtherThread', async () => {
    const { name, java, lock } = newLock();
    const hold = await lock.acquire();
    expect(await java.call(kind, name, 'isLocked')).toBe(true);
    await hold.release();
    expect(await java.call(kind, name, 'isLocked')).toBe(false);
    await java.call(kind, name, 'lock');
    expect(await lock.isLocked()).toBe(true);
    await java.call(kind, name, 'unlock');
    expect(await lock.isLocked()).toBe(false);
  });

  test('testLockUnlock', async () => {
    const { name, java, lock } = newLock();
    for (let time = 0; time < 2; time += 1) {
      await java.call(kind, name, 'lock');
      await java.call(kind, name, 'unlock');
      await (await lock.acquire()).release();
    }
    expect(await (await stage().server(name)).command('EXISTS', name)).toBe(0);
  });

  test('testReentrancy', async () => {
    const { name, java, lock } = newLock();
    expect(await java.call(kind, name, 'tryLock')).toBe(true);
    expect(await java.call(kind, name, 'tryLock')).toBe(true);
    await java.call(kind, name, 'unlock');
    expect(await lock.tryAcquire()).toBeNull();
    await java.call(kind, name, 'unlock');
    await lock.run(() =>
      lock.run(async () => {
        expect(await java.call(kind, name, 'tryLock')).toBe(false);
      }),
    );
    expect(await java.call(kind, name, 'tryLock')).toBe(true);
    await java.call(kind, name, 'unlock');
  });
});
