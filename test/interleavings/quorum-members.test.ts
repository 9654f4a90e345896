import { expect, test } from 'vitest';
import { MemoryStore } from '../../src/engines/memory/index.ts';
import { quorumLock } from '../../src/index.ts';
import type { WireHooks } from '../fixtures/hooked-wire.ts';
import { ending, play, type Stage } from './stage.ts';

const HOUR_MS = 3_600_000;

/** The members of a quorum, each on a store of its own that has been up for so long. */
function near(stage: Stage, stores: readonly MemoryStore[]) {
  return stores.map((store, at) => stage.near(`member-${at}`, { store }).lock('x'));
}

function storesUp(stage: Stage, ...upMs: readonly number[]): MemoryStore[] {
  return upMs.map((up) => new MemoryStore(stage.clock, up === Infinity ? {} : { upMs: up }));
}

function far(stage: Stage, hooks: (at: number) => WireHooks) {
  return [0, 1, 2].map((at) => stage.far(`member-${at}`, hooks(at), new MemoryStore(stage.clock)).lock('x'));
}

// The third of three members has just started and does not count. It grants like the others.
test('what a member that does not count has granted is given back', async () => {
  await play(async (stage) => {
    const members = near(stage, storesUp(stage, Infinity, Infinity, 0));
    const hold = await quorumLock(members).acquire();
    await hold.release();
    expect(await Promise.all(members.map((lock) => lock.isLocked()))).toStrictEqual([false, false, false]);
  });
});

// A lock is held for an hour on three members. Two of them restart, empty, and 40 s later another client asks: were leases
// of an hour allowed where members count after 30 s, both would have a majority.
test('no lease is longer than members must be old, so that two restarts make no second majority', async () => {
  await play(async (stage) => {
    const before = storesUp(stage, Infinity, Infinity, Infinity);
    const usual = quorumLock(near(stage, before));
    await expect(usual.acquire({ leaseMs: HOUR_MS })).rejects.toThrow(RangeError);
    const first = await quorumLock(near(stage, before), { longestLeaseMs: HOUR_MS }).acquire({
      leaseMs: HOUR_MS,
    });
    const after = near(stage, [...storesUp(stage, 40_000, 40_000), before[2]!]);
    expect(await ending(quorumLock(after, { longestLeaseMs: HOUR_MS }).tryAcquire())).toBe('QUORUM');
    expect(first.remainingMs > 0).toBeTruthy();
    await first.release();
  });
});

// A round of renewals takes 700 ms to come back. The members count from when they decided, and so does the hold.
test('a renewed majority counts from the first request of its round', async () => {
  await play(async (stage) => {
    const members = far(stage, () => ({ back: ({ verb }) => (verb === 'renew' ? 700 : undefined) }));
    const hold = await quorumLock(members).acquire({ leaseMs: 1000 });
    await hold.extend(10_000);
    expect(hold.remainingMs <= 10_000 - 700, `${hold.remainingMs} ms are left`).toBeTruthy();
    await hold.release();
  });
});

// The hold stands in the timer queue of one member, whose client is closed: the two others are a majority.
test('a majority is renewed on when a member is closed, whichever it is', async () => {
  for (const closed of [0, 1, 2]) {
    await play(async (stage) => {
      const clients = storesUp(stage, Infinity, Infinity, Infinity).map((store, at) =>
        stage.near(`member-${at}`, { store }),
      );
      const hold = await quorumLock(clients.map((client) => client.lock('x'))).acquire();
      await clients[closed]!.close();
      await stage.clock.sleep(HOUR_MS / 10);
      expect(hold.lost.aborted).toBe(false);
      expect(hold.remainingMs).toBeGreaterThan(0);
      await hold.release();
    });
  }
});

// All members are out of reach for a moment, in which the hold is extended.
test('an extension that fails for a moment loses nothing', async () => {
  await play(async (stage) => {
    let away = false;
    const members = far(stage, () => ({ out: () => (away ? 'broken' : undefined) }));
    const hold = await quorumLock(members).acquire();
    away = true;
    expect(await ending(hold.extend(30_000))).toBe('ENGINE');
    expect(hold.lost.aborted).toBe(false);
    away = false;
    await hold.extend(30_000);
    await hold.release();
  });
});

// The first round of an extension reaches the third member alone, the second round the first one alone: no majority was extended.
test('members that were extended in different rounds are no majority (soundness 11)', async () => {
  await play(async (stage) => {
    let reached = [0, 1, 2];
    const members = far(stage, (at) => ({ out: () => (reached.includes(at) ? undefined : 'broken') }));
    const hold = await quorumLock(members).acquire({ leaseMs: 20_000 });
    for (const only of [2, 0]) {
      reached = [only];
      expect(await ending(hold.extend(30_000))).toBe('ENGINE');
      expect(hold.remainingMs).toBeLessThan(20_000);
    }
    reached = [0, 1, 2];
    await hold.release();
  });
});

// One of three members never answers. The acquisition has 100 ms, less than a member is usually waited for.
test('a member that does not answer is waited for no longer than the acquisition has time', async () => {
  await play(async (stage) => {
    const members = far(stage, (at) => (at === 2 ? { out: () => 'lost', beatOut: () => 'lost' } : {}));
    const since = stage.clock.now();
    const hold = await quorumLock(members).acquire({ timeoutMs: 100 });
    expect(stage.clock.now() - since <= 110).toBeTruthy();
    await hold.release();
    // For so long the silent member is asked to give back what it may have granted.
    await stage.clock.sleep(60_000);
  });
});

// All members grant, and fall silent before the fence is written back and before anything is given back.
test('members that fall silent after their grant keep nothing waiting beyond its time', async () => {
  await play(async (stage) => {
    let isSilent = false;
    const members = far(stage, () => ({
      out: ({ verb }) => (isSilent && verb !== 'acquire' ? 'lost' : undefined),
      beatOut: () => (isSilent ? 'lost' : undefined),
    }));
    const lock = quorumLock(members);
    await lock.run(() => undefined);
    isSilent = true;
    const since = stage.clock.now();
    expect(await ending(lock.acquire({ timeoutMs: 1000 }))).toBe('QUORUM');
    expect(stage.clock.now() - since).toBeLessThanOrEqual(1000);
    // What is given back in the background is not contention either.
    expect(await ending(lock.tryAcquire({ timeoutMs: 500 }))).toBe('QUORUM');
    expect(stage.clock.now() - since).toBeLessThanOrEqual(1500);
    isSilent = false;
    await stage.clock.sleep(60_000);
    await lock.run(() => undefined);
  });
});

// Every reply takes 700 ms, and a majority needs two of them: more than a second.
test('members whose replies are late are no reason to hold after the time is over', async () => {
  await play(async (stage) => {
    const members = far(stage, () => ({ back: () => 700 }));
    const lock = quorumLock(members);
    const since = stage.clock.now();
    expect(await ending(lock.tryAcquire({ timeoutMs: 1000 }))).toBe('QUORUM');
    expect(stage.clock.now() - since).toBeLessThanOrEqual(1000);
    await stage.clock.sleep(60_000);
    const hold = await lock.acquire({ timeoutMs: 2000 });
    await hold.release();
  });
});

// The machine stands still: the replies of two of three members take longer than a member may take, once.
test('a caller with patience asks members that were late once more', async () => {
  await play(async (stage) => {
    const late = new Set([1, 2]);
    const members = far(stage, (at) => ({ back: () => (late.delete(at) ? 700 : undefined) }));
    const hold = await quorumLock(members, { memberTimeoutMs: 500 }).acquire({ timeoutMs: 20_000 });
    expect(hold.lost.aborted).toBe(false);
    await hold.release();
  });
});

// The call has no time-out that could end it.
test('members that stay silent end a wait of any length after twice the time of a member', async () => {
  await play(async (stage) => {
    const members = far(stage, (at) => (at === 0 ? {} : { out: () => 'lost', beatOut: () => 'lost' }));
    const since = stage.clock.now();
    expect(await ending(quorumLock(members, { memberTimeoutMs: 1000 }).acquire())).toBe('QUORUM');
    expect(stage.clock.now() - since).toBeLessThanOrEqual(2 * 1000 + 250);
    await stage.clock.sleep(60_000);
  });
});

// One caller has no time at all, and its requests are still under way when the next one asks members that are well.
test('the requests of a caller without patience are no outage to the next one', async () => {
  await play(async (stage) => {
    const members = far(stage, () => ({ back: () => 20 }));
    const lock = quorumLock(members);
    expect(await ending(lock.tryAcquire({ timeoutMs: 1 }))).toBe('QUORUM');
    const hold = await lock.tryAcquire();
    expect(hold).not.toBe(null);
    await hold?.release();
  });
});

// Another process holds all members, and each reply takes 400 ms. A contender that awaited the requests of all others would take
// the members for silent: the ninth request is answered after more than the 3000 ms that a member may take.
test('contenders of one process await one request of theirs, and do not take the time of all for silence', async () => {
  await play(async (stage) => {
    const stores = storesUp(stage, Infinity, Infinity, Infinity);
    const open = (label: string, hooks: WireHooks) =>
      quorumLock(stores.map((store, at) => stage.far(`${label}-${at}`, hooks, store).lock('x')));
    const hold = await open('holder', {}).acquire();
    const contended = open('contender', { back: () => 400 });
    const ends = Array.from({ length: 20 }, () => ending(contended.tryAcquire()));
    expect(new Set(await Promise.all(ends))).toStrictEqual(new Set([null]));
    await hold.release();
  });
});
