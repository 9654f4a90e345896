import { expect, test } from 'vitest';
import { renewed } from '../renewed.ts';
import { MS } from './redisson.ts';
import { BRIEF_MS, type InteropStage } from './stage.ts';

const UNKNOWN = '0'.repeat(32);
const LEASE_MS = 60_000;

/** What only permits with ids have. */
export function permitCells(stage: () => InteropStage): void {
  test('a client with the id releases the permit, whichever side acquired it', async () => {
    const name = stage().newName();
    const thread = stage().thread();
    const seats = stage().locks.permitSemaphore(name, { permits: 2 });
    const ours = await seats.acquire({ leaseMs: LEASE_MS });
    const theirs = String(await thread.call('permitSemaphore', name, 'acquire', LEASE_MS, MS));
    expect(theirs).toMatch(/^[0-9a-f]{32}$/);
    expect(await thread.call('permitSemaphore', name, 'availablePermits')).toBe(0);
    expect(await thread.call('permitSemaphore', name, 'acquiredPermits')).toBe(2);
    expect(await thread.call('permitSemaphore', name, 'tryAcquire')).toBeNull();

    expect(await seats.release(theirs)).toBe(true);
    expect(await seats.release(theirs)).toBe(false);
    expect(await thread.call('permitSemaphore', name, 'tryRelease', theirs)).toBe(false);
    expect(await thread.call('permitSemaphore', name, 'tryRelease', ours.id)).toBe(true);
    expect(await seats.release(ours.id)).toBe(false);
    expect(await seats.available()).toBe(2);
  });

  test('each side prolongs what the other has taken', async () => {
    const name = stage().newName();
    const thread = stage().thread();
    const seats = stage().locks.permitSemaphore(name, { permits: 2 });
    const ours = await seats.acquire({ leaseMs: LEASE_MS });
    const theirs = String(await thread.call('permitSemaphore', name, 'acquire', LEASE_MS, MS));
    expect(await seats.extend(theirs, 2 * LEASE_MS)).toBe(true);
    expect(await thread.call('permitSemaphore', name, 'updateLeaseTime', ours.id, 2 * LEASE_MS, MS)).toBe(
      true,
    );
    for (const id of [ours.id, theirs])
      expect(await thread.call('permitSemaphore', name, 'getLeaseTime', id)).toBeGreaterThan(LEASE_MS);
    expect(await thread.call('permitSemaphore', name, 'updateLeaseTime', UNKNOWN, LEASE_MS, MS)).toBe(false);
    expect(await seats.extend(UNKNOWN, LEASE_MS)).toBe(false);
  });

  test('Java does not release a permit that it does not know', async () => {
    const name = stage().newName();
    const thread = stage().thread();
    const seats = stage().locks.permitSemaphore(name, { permits: 2 });
    await using hold = await seats.acquire();
    expect(await thread.call('permitSemaphore', name, 'tryRelease', UNKNOWN)).toBe(false);
    await expect(thread.call('permitSemaphore', name, 'release', UNKNOWN)).rejects.toThrow(/doesn't exist/);
    hold.throwIfLost();
  });

  test('Node renews a permit, which Java sees', async () => {
    const name = stage().newName();
    const thread = stage().briefThread();
    const seat = await stage().brief.permitSemaphore(name, { permits: 1 }).acquire();
    const leaseMs = async (): Promise<number> =>
      Number(await thread.call('permitSemaphore', name, 'getLeaseTime', seat.id));
    expect(await leaseMs()).toBeLessThanOrEqual(BRIEF_MS);
    await renewed(leaseMs);
    expect(await thread.call('permitSemaphore', name, 'tryAcquire')).toBeNull();
    await seat.release();
  });

  test('several permits at once, from both sides', async () => {
    const name = stage().newName();
    const thread = stage().thread();
    const seats = stage().locks.permitSemaphore(name, { permits: 5 });
    const hold = await seats.acquire({ permits: 3 });
    expect(await thread.call('permitSemaphore', name, 'tryAcquire', 3)).toEqual([]);
    const taken = (await thread.call('permitSemaphore', name, 'acquire', 2)) as string[];
    expect(taken).toHaveLength(2);
    const waiting = await stage().nodeWaits(name, () => seats.acquire({ permits: 2 }));
    expect(await thread.call('permitSemaphore', name, 'tryRelease', taken)).toBe(2);
    const more = await waiting.outcome;
    await hold.release();
    await more.release();
    expect(await thread.call('permitSemaphore', name, 'availablePermits')).toBe(5);
  });
}
