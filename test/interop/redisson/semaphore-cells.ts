import { expect, test } from 'vitest';
import { waitFor } from '../../fixtures/wait-for.ts';
import { renewed } from '../renewed.ts';
import { MS } from './redisson.ts';
import { BRIEF_MS, type InteropStage } from './stage.ts';

const foreign = { code: 'FOREIGN_STATE' };

/** The semaphore of ours and Java's `RPermitExpirableSemaphore` of the same name. */
export function semaphoreCells(stage: () => InteropStage): void {
  test('Java sees what Node has taken, and how many there are', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    const pool = stage().locks.semaphore(name, { permits: 5 });
    const hold = await pool.acquire({ permits: 3 });
    expect(await java.call('permitSemaphore', name, 'getPermits')).toBe(5);
    expect(await java.call('permitSemaphore', name, 'acquiredPermits')).toBe(3);
    const ids = (await java.call('permitSemaphore', name, 'acquire', 2)) as string[];
    expect(await pool.available()).toBe(0);
    expect(await pool.tryAcquire()).toBeNull();
    expect(await java.call('permitSemaphore', name, 'tryRelease', ids)).toBe(2);
    await hold.release();
    expect(await java.call('permitSemaphore', name, 'availablePermits')).toBe(5);
  });

  test('Node renews what it has taken, and Java stays out', async () => {
    const [name, java] = [stage().newName(), stage().briefThread()];
    const hold = await stage().brief.semaphore(name, { permits: 1 }).acquire();
    const { holders } = (await stage().locks.inspector.describe('semaphore', name))!;
    const leaseMs = async (): Promise<number> =>
      Number(await java.call('permitSemaphore', name, 'getLeaseTime', holders[0]!.owner));
    expect(await leaseMs()).toBeLessThanOrEqual(BRIEF_MS);
    await renewed(leaseMs);
    expect(await java.call('permitSemaphore', name, 'tryAcquire')).toBeNull();
    await hold.release();
    expect(await java.call('permitSemaphore', name, 'availablePermits')).toBe(1);
  });

  test('permits that Java takes from Node by their id are lost, and Node hears of it', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    const hold = await stage().brief.semaphore(name, { permits: 1 }).acquire();
    const { holders } = (await stage().locks.inspector.describe('semaphore', name))!;
    expect(await java.call('permitSemaphore', name, 'tryRelease', holders[0]!.owner)).toBe(true);
    await waitFor('Node hears of it', () => hold.lost.aborted);
    await expect(hold.release()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(await java.call('permitSemaphore', name, 'availablePermits')).toBe(1);
  });

  test('another number that Java sets is refused by Node, and what is held stays held', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    const pool = stage().locks.semaphore(name, { permits: 3 });
    const hold = await pool.acquire({ permits: 2 });
    for (const [method, permits] of [
      ['setPermits', 5],
      ['addPermits', -1],
    ] as const) {
      await java.call('permitSemaphore', name, method, permits);
      await expect(pool.acquire()).rejects.toMatchObject(foreign);
      await expect(pool.available()).rejects.toMatchObject(foreign);
    }
    hold.throwIfLost();
    await (await stage().locks.semaphore(name, { permits: 4 }).acquire({ permits: 2 })).release();
    await java.call('permitSemaphore', name, 'setPermits', 3);
    await (await pool.acquire()).release();
    await hold.release();
    expect(await java.call('permitSemaphore', name, 'availablePermits')).toBe(3);
  });

  test('permits of Java without an end are counted, and do not end', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    await java.call('permitSemaphore', name, 'trySetPermits', 2);
    const id = String(await java.call('permitSemaphore', name, 'acquire'));
    const pool = stage().locks.semaphore(name, { permits: 2 });
    expect(await pool.available()).toBe(1);
    expect(await pool.tryAcquire({ permits: 2, timeoutMs: 300 })).toBeNull();
    await java.call('permitSemaphore', name, 'updateLeaseTime', id, 300, MS);
    await (await pool.acquire({ permits: 2, timeoutMs: 20_000 })).release();
  });

  test('a semaphore of Java under the same name is refused once the numbers do not add up', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    await java.call('semaphore', name, 'trySetPermits', 3);
    await java.call('semaphore', name, 'acquire');
    await expect(stage().locks.semaphore(name, { permits: 3 }).acquire()).rejects.toMatchObject(foreign);
    await java.call('semaphore', name, 'release');
    expect(await java.call('semaphore', name, 'availablePermits')).toBe(3);
  });
}
