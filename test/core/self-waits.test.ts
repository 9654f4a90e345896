import { afterEach, describe, expect, test, vi } from 'vitest';
import { Holdable } from '../../src/core/acquire/holdable.ts';
import { memory, MemoryStore, type MemorySynchronizers } from '../../src/engines/memory/index.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';

/** The warnings of the process about waits behind itself, as long as the body runs. */
async function warningsOf(body: (clock: VirtualClock, locks: MemorySynchronizers) => Promise<void>) {
  const told: string[] = [];
  const hear = (warning: Error & { readonly code?: string }): void => {
    if (warning.code === 'HOLDFAST_SELF_WAIT') told.push(warning.message);
  };
  process.on('warning', hear);
  const clock = new VirtualClock();
  try {
    await clock.run(async () => {
      const locks = memory({ clock });
      await body(clock, locks);
      await locks.close();
    });
    // Node emits warnings in a later turn.
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off('warning', hear);
  }
  return told;
}

afterEach(() => vi.restoreAllMocks());

describe('an owner that waits behind a hold of its own process', () => {
  test('is warned once for each lock, after 5 to 10 s, how to re-enter', async () => {
    const told = await warningsOf(async (clock, locks) => {
      for (const lock of [locks.lock('orders'), locks.fairLock('line')]) {
        const hold = await lock.acquire();
        const waiting = lock.acquire();
        await clock.sleep(4_999);
        const later = lock.acquire();
        await clock.sleep(30_000);
        await hold.release();
        for (const next of [waiting, later]) await (await next).release();
      }
    });
    expect(told).toEqual([
      expect.stringMatching(/^lock "orders": an owner of this process has waited .* inside lock\.run\(\)/),
      expect.stringMatching(/^fairLock "line": /),
    ]);
  });

  test('of the other side of a read-write lock, too', async () => {
    const told = await warningsOf(async (clock, locks) => {
      const { read, write } = locks.readWriteLock('config');
      const hold = await read.acquire();
      const waiting = write.acquire();
      await clock.sleep(11_000);
      await hold.release();
      await (await waiting).release();
    });
    expect(told.length).toBe(1);
  });

  test('of another engine object on the same store, too, and the store is asked once for each hold', async () => {
    const looks = vi.spyOn(Holdable.prototype, 'blockers');
    const told = await warningsOf(async (clock) => {
      const store = new MemoryStore(clock);
      await using holder = memory({ clock, store });
      await using waiter = memory({ clock, store });
      for (const open of [
        (locks: MemorySynchronizers) => locks.lock('orders'),
        (locks: MemorySynchronizers) => locks.fairLock('line'),
        (locks: MemorySynchronizers) => locks.readWriteLock('config').write,
      ]) {
        const hold = await open(holder).acquire();
        const waiting = [open(waiter).acquire(), open(waiter).acquire()];
        await clock.sleep(40_000);
        await hold.release();
        for (const next of waiting) await (await next).release();
      }
    });
    expect(told).toEqual([
      expect.stringMatching(/^lock "orders": .* of one engine object\.$/),
      expect.stringMatching(/^fairLock "line": /),
      expect.stringMatching(/^writeLock "config": /),
    ]);
    expect(looks).toHaveBeenCalledTimes(3);
  });

  test('of another engine object for 200 names: the store is asked about one of them every 5 s', async () => {
    const looks = vi.spyOn(Holdable.prototype, 'blockers');
    const told = await warningsOf(async (clock) => {
      const store = new MemoryStore(clock);
      await using holder = memory({ clock, store });
      await using waiter = memory({ clock, store });
      const holds = await Promise.all(
        Array.from({ length: 200 }, (_, at) => holder.lock(`order ${at}`).acquire()),
      );
      const waits = Array.from({ length: 200 }, (_, at) => waiter.lock(`order ${at}`).acquire());
      await clock.sleep(21_000);
      expect(looks).toHaveBeenCalledTimes(3);
      for (const hold of holds) await hold.release();
      for (const next of waits) await (await next).release();
    });
    expect(told.length).toBe(3);
  });

  test('hears nothing of another engine object whose hold of that name is not the one that its store shows', async () => {
    const looks = vi.spyOn(Holdable.prototype, 'blockers');
    looks.mockReturnValue([{ owner: 'of another process', fence: 1, remainingMs: 1000 }]);
    const told = await warningsOf(async (clock) => {
      const store = new MemoryStore(clock);
      await using holder = memory({ clock, store });
      await using waiter = memory({ clock, store });
      const hold = await holder.lock('orders').acquire();
      const waiting = waiter.lock('orders').acquire();
      await clock.sleep(60_000);
      await hold.release();
      await (await waiting).release();
    });
    expect(looks).toHaveBeenCalledTimes(1);
    expect(told).toEqual([]);
  });

  test('is warned for 100 names, and the process remembers no more', async () => {
    const told = await warningsOf(async (clock, locks) => {
      const holds = [];
      for (let at = 0; at < 120; at++) {
        const lock = locks.lock(`request ${at}`);
        holds.push(await lock.acquire());
        holds.push(lock.acquire());
      }
      await clock.sleep(11_000);
      for (const hold of holds) await (await hold).release();
    });
    expect(told.length).toBe(100);
  });

  test('hears that both may be in order: the hold may only be long', async () => {
    const told = await warningsOf(async (clock, locks) => {
      const lock = locks.lock('orders');
      await Promise.all([1, 2].map(() => lock.run(() => clock.sleep(11_000))));
    });
    expect(told).toEqual([expect.stringContaining('If they are independent, the hold is only long.')]);
  });

  test('hears nothing of an election: a candidate waits behind the leader', async () => {
    const told = await warningsOf(async (clock, locks) => {
      const leadership = await locks.election('leader').campaign();
      const candidate = locks.election('leader').campaign();
      await clock.sleep(30_000);
      await leadership.resign();
      await (await candidate).resign();
    });
    expect(told).toEqual([]);
  });

  test('hears nothing while holds come and go before it, nor where permits are counted', async () => {
    const told = await warningsOf(async (clock, locks) => {
      const lock = locks.lock('jobs');
      const work = Array.from({ length: 20 }, () => lock.run(() => clock.sleep(2_000)));
      const uploads = locks.semaphore('uploads', { permits: 1 });
      const both = [1, 2].map(() => uploads.run(() => clock.sleep(30_000)));
      await Promise.all([...work, ...both]);
    });
    expect(told).toEqual([]);
  });
});
