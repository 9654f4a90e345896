import { expect, test } from 'vitest';
import { waitFor } from '../../fixtures/wait-for.ts';
import { MS } from './curator.ts';
import type { CuratorStage } from './stage.ts';

const WAIT_MS = 1500;

export function semaphoreCells(stage: () => CuratorStage): void {
  test('both sides share the permits, and each sees what the other has taken', async () => {
    const path = stage().newPath();
    const named = { path, permits: 3 };
    const semaphore = stage().locks.semaphore(path, { permits: 3 });
    const [one, other] = [stage().thread(), stage().thread()];
    await one.call('semaphore', named, 'acquire', 2);
    expect(await semaphore.available()).toBe(1);
    const hold = await semaphore.acquire();
    expect(await semaphore.tryAcquire()).toBeNull();
    expect(await other.call('semaphore', named, 'acquire', WAIT_MS, MS)).toBe(false);
    await stage().catchUp();
    const participants = (await other.call('semaphore', named, 'getParticipantNodes')) as string[];
    const leases = (await stage().ticketsBelow(`${path}/leases`)).map((lease) => lease.split('/').at(-1));
    expect(leases).toHaveLength(3);
    expect(new Set(participants)).toEqual(new Set(leases));
    await hold.release();
    expect(await other.call('semaphore', named, 'acquire', WAIT_MS, MS)).toBe(true);
    for (const thread of [one, one, other]) await thread.call('semaphore', named, 'release');
    expect(await semaphore.available()).toBe(3);
  });

  test('a large request of either side at the head keeps small ones of the other behind it', async () => {
    const path = stage().newPath();
    const named = { path, permits: 3 };
    const semaphore = stage().locks.semaphore(path, { permits: 3 });
    const first = await semaphore.acquire();
    const [large, small] = [stage().thread(), stage().thread()];
    const ofJava = large.call('semaphore', named, 'acquire', 3);
    // Curator takes them one by one. From the third on it waits in front of all others.
    await waitFor('Java waits for its third permit', async () => {
      return (await stage().nodesOf('java', `${path}/leases`)).length === 3;
    });
    const ofNode = await stage().nodeWaits(path, () => semaphore.acquire());
    await first.release();
    await ofJava;
    for (let permit = 0; permit < 3; permit += 1) await large.call('semaphore', named, 'release');
    const hold = await ofNode.outcome;

    const all = await stage().nodeWaits(path, () => semaphore.acquire({ permits: 3 }));
    expect(await small.call('semaphore', named, 'acquire', WAIT_MS, MS)).toBe(false);
    await hold.release();
    await (await all.outcome).release();
    expect(await stage().ticketsBelow(path)).toEqual([]);
  });

  test('a request of Node for several permits that gives up leaves nothing behind', async () => {
    const path = stage().newPath();
    const named = { path, permits: 2 };
    const thread = stage().thread();
    await thread.call('semaphore', named, 'acquire');
    const semaphore = stage().locks.semaphore(path, { permits: 2 });
    expect(await semaphore.tryAcquire({ permits: 2, timeoutMs: WAIT_MS })).toBeNull();
    await thread.call('semaphore', named, 'acquire');
    expect(await stage().ticketsBelow(path)).toHaveLength(2);
    for (let permit = 0; permit < 2; permit += 1) await thread.call('semaphore', named, 'release');
  });
}
