import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, test } from 'vitest';
import { memory, MemoryStore } from '../../src/engines/memory/index.ts';

// Workers of the test runner are not started with it.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** A hundred thousand leaks of ten bytes. What the runner itself keeps in a second is less. */
const MOST_GROWTH = 1_000_000;

async function heapUsed(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  return process.memoryUsage().heapUsed;
}

/** Handles that keep a process alive or would: timers, sockets. Immediates are ours. */
function handles(): readonly string[] {
  return process
    .getActiveResourcesInfo()
    .filter((kind) => kind !== 'Immediate')
    .toSorted();
}

/** That the work, done once to warm up and once to measure, leaves the heap where it was. */
async function assertNoGrowth(work: () => Promise<void>): Promise<void> {
  await work();
  const before = await heapUsed();
  await work();
  const grown = (await heapUsed()) - before;
  assert.ok(grown < MOST_GROWTH, `the heap has grown by ${grown} bytes`);
}

describe('nothing is left behind', () => {
  test('by 100,000 holds of one name', async () => {
    const store = new MemoryStore();
    const locks = memory({ store });
    const lock = locks.lock('a');
    const before = handles();
    await assertNoGrowth(async () => {
      for (let round = 0; round < 100_000; round++) await (await lock.acquire()).release();
    });
    await locks.close();
    assert.deepEqual(handles(), before);
    assert.deepEqual(store.census(), { records: 0, watchers: 0, sessions: 0 });
  });

  test('by 50,000 holds, each of a name of its own', async () => {
    const store = new MemoryStore();
    const locks = memory({ store });
    const before = handles();
    let names = 0;
    await assertNoGrowth(async () => {
      for (let round = 0; round < 50_000; round++) await locks.lock(`name-${++names}`).run(() => undefined);
      // Records of free locks may stay a while, but not for ever.
      assert.ok(store.census().records === 0);
    });
    await locks.close();
    assert.deepEqual(handles(), before);
  });

  test('by 20,000 waits that were aborted, on signals of their own and on one', async () => {
    const store = new MemoryStore();
    const [locks, others] = [memory({ store }), memory({ store })];
    const before = handles();
    const hold = await others.lock('a').acquire();
    const lasting = new AbortController();
    await assertNoGrowth(async () => {
      for (let round = 0; round < 20; round++) {
        const controller = new AbortController();
        const waits = Array.from({ length: 500 }, () => {
          const own = new AbortController();
          const waiting = locks.lock('a').acquire({ signal: own.signal });
          own.abort();
          return [waiting, locks.fairLock('a').acquire({ signal: controller.signal })];
        }).flat();
        const first = await locks.fairLock('a').acquire({ signal: lasting.signal });
        controller.abort();
        await Promise.allSettled(waits.map((wait) => wait.then((late) => late.release())));
        await first.release();
        assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
      }
    });
    assert.equal(getEventListeners(lasting.signal, 'abort').length, 0);
    assert.equal(await locks.lock('a').waiters(), 0);
    await hold.release();
    await locks.close();
    await others.close();
    assert.deepEqual(handles(), before);
    assert.deepEqual(store.census(), { records: 0, watchers: 0, sessions: 0 });
  });

  test('by 5,000 waits that ran out of time', async () => {
    const store = new MemoryStore();
    const [locks, others] = [memory({ store }), memory({ store })];
    const before = handles();
    const hold = await others.lock('a').acquire();
    await assertNoGrowth(async () => {
      const waits = Array.from({ length: 5000 }, (_, at) =>
        locks.lock('a').tryAcquire({ timeoutMs: at % 20 }),
      );
      assert.ok((await Promise.all(waits)).every((late) => late === null));
    });
    await hold.release();
    await locks.close();
    await others.close();
    assert.deepEqual(handles(), before);
    assert.deepEqual(store.census(), { records: 0, watchers: 0, sessions: 0 });
  });

  test('by 1,000 engine objects that were closed while somebody held and somebody waited', async () => {
    const store = new MemoryStore();
    const before = handles();
    await assertNoGrowth(async () => {
      for (let round = 0; round < 1000; round++) {
        const locks = memory({ store });
        const hold = await locks.lock('a').acquire();
        const waiting = assert.rejects(locks.lock('a').acquire());
        await locks.close();
        await waiting;
        await hold.release();
      }
    });
    assert.deepEqual(handles(), before);
    assert.deepEqual(store.census(), { records: 0, watchers: 0, sessions: 0 });
  });
});
