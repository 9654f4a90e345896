import { getEventListeners } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/core/time/clock.ts';
import { memory, MemoryStore } from '../../src/engines/memory/index.ts';
import { MortalClock } from '../engines/mortal-clock.ts';
import { heapUsed } from '../fixtures/heap-used.ts';

// 20,000 waits take 2 s alone and 15 s on two cores that twenty-five processes share.
vi.setConfig({ testTimeout: 60_000 });

/** A hundred thousand leaks of ten bytes. What the runner itself keeps in a second is less. */
const MOST_GROWTH = 1_000_000;

/** How many timers keep this process alive. Those of the runner come and go: only a number that grows is ours. */
function livingTimers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}

/** A store whose timers are counted, also those that keep nothing alive. */
function countedStore() {
  const clock = new MortalClock(systemClock);
  const store = new MemoryStore(clock);
  const before = livingTimers();
  return {
    open: () => memory({ store, clock }),
    store,
    assertEmpty: () => {
      expect(store.takeCensus()).toStrictEqual({ records: 0, watchers: 0, sessions: 0 });
      expect(clock.pending, 'timers').toBe(0);
      expect(livingTimers(), 'timers that keep the process alive').toBeLessThanOrEqual(before);
    },
  };
}

/** That the work, done a little to warm up and then in full, leaves the heap where it was. */
async function assertNoGrowth(times: number, work: () => Promise<void>): Promise<void> {
  for (let time = 0; time < times / 5; time++) await work();
  const before = await heapUsed();
  for (let time = 0; time < times; time++) await work();
  const grown = (await heapUsed()) - before;
  expect(grown, `the heap has grown by ${grown} bytes`).toBeLessThan(MOST_GROWTH);
}

describe('nothing is left behind', () => {
  test('by 100,000 holds of one name', async () => {
    const { open, assertEmpty } = countedStore();
    const locks = open();
    const lock = locks.lock('a');
    await assertNoGrowth(100_000, async () => (await lock.acquire()).release());
    expect(await lock.isLocked()).toBe(false);
    await locks.close();
    assertEmpty();
  });

  test('by 20,000 holds, each of a name of its own', async () => {
    const { open, store, assertEmpty } = countedStore();
    const locks = open();
    let names = 0;
    await assertNoGrowth(20, async () => {
      for (let round = 0; round < 1000; round++) await locks.lock(`name-${++names}`).run(() => undefined);
      // Records of free locks may stay a while, but not without end.
      expect(store.takeCensus().records).toBe(0);
    });
    await locks.close();
    assertEmpty();
  });

  test('by 20,000 waits that were aborted, on signals of their own and on one', async () => {
    const { open, assertEmpty } = countedStore();
    const [locks, others] = [open(), open()];
    const holds = [await others.lock('a').acquire(), await others.fairLock('a').acquire()];
    await assertNoGrowth(200, async () => {
      const shared = new AbortController();
      const waits = Array.from({ length: 50 }, () => {
        const own = new AbortController();
        const waiting = [
          locks.lock('a').acquire({ signal: own.signal }),
          locks.fairLock('a').acquire({ signal: shared.signal }),
        ];
        own.abort();
        return waiting;
      });
      const ended = Promise.allSettled(waits.flat());
      shared.abort();
      expect((await ended).every(({ status }) => status === 'rejected')).toBe(true);
      expect(getEventListeners(shared.signal, 'abort').length).toBe(0);
    });
    expect(await locks.lock('a').waiters()).toBe(0);
    expect(await locks.fairLock('a').waiters()).toBe(0);
    for (const hold of holds) await hold.release();
    await locks.close();
    await others.close();
    assertEmpty();
  });

  test('by 5,000 waits that ran out of time', async () => {
    const { open, assertEmpty } = countedStore();
    const [locks, others] = [open(), open()];
    const hold = await others.lock('a').acquire();
    await assertNoGrowth(5, async () => {
      const waits = Array.from({ length: 1000 }, (_, at) =>
        locks.lock('a').tryAcquire({ timeoutMs: at % 20 }),
      );
      expect((await Promise.all(waits)).every((late) => late === null)).toBe(true);
    });
    await hold.release();
    await locks.close();
    await others.close();
    assertEmpty();
  });

  test('by 1,000 engine objects that were closed with a holder and a waiter', async () => {
    const { open, assertEmpty } = countedStore();
    await assertNoGrowth(1000, async () => {
      const locks = open();
      const hold = await locks.lock('a').acquire();
      const waiting = locks
        .lock('a')
        .acquire()
        .catch((reason: unknown) => reason);
      await locks.close();
      expect(await waiting).toMatchObject({ code: 'CLOSED' });
      await hold.release();
    });
    assertEmpty();
  });
});
