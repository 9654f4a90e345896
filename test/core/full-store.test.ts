import { describe, expect, test } from 'vitest';
import { StoreFullError } from '../../src/core/failures/store-full-error.ts';
import { MemoryStore } from '../../src/engines/memory/index.ts';
import { BrokenBarrierError, type Synchronizers } from '../../src/index.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';
import { storeEngine } from './store-engine.ts';

const FULL = new StoreFullError('it is full', { resource: 'lock "a"', engine: 'test' }, undefined);

/** Engines on one store, over a wire, that takes no client in while it is full. */
class FullStore {
  full = false;
  asked = 0;
  readonly clock = new VirtualClock();
  readonly #store = new MemoryStore(this.clock);

  open(): Synchronizers {
    return storeEngine(this.clock, this.#store, { renewalLeaseMs: 3000 }, ({ lock, fairLock, barrier }) => ({
      barrier: {
        ...barrier,
        arrive: async (name, ask) => {
          await Promise.resolve();
          if (this.full) throw FULL;
          return barrier.arrive(name, ask);
        },
      },
      lock: { ...lock, acquire: this.#unlessFull(lock.acquire) },
      fairLock: {
        ...fairLock,
        traits: { ...fairLock.traits, batchesWaiters: true },
        acquire: this.#unlessFull(fairLock.acquire),
      },
    }));
  }

  #unlessFull<A extends readonly unknown[], R>(acquire: (...args: A) => R) {
    return async (...args: A): Promise<Awaited<R>> => {
      await Promise.resolve();
      this.asked++;
      if (this.full) throw FULL;
      return await acquire(...args);
    };
  }
}

const codeOf = (acquiring: Promise<unknown>): Promise<unknown> =>
  acquiring.then(
    () => 'in',
    (error: unknown) => error,
  );

const reasonOf = (error: unknown): string => {
  expect(error, String(error)).toBeInstanceOf(BrokenBarrierError);
  return (error as BrokenBarrierError).reason;
};

describe('a store that is full', () => {
  test('tells a newcomer at once, whatever its waitLimit', async () => {
    const store = new FullStore();
    await store.clock.run(async () => {
      const locks = store.open();
      store.full = true;
      const start = store.clock.now();
      expect(await codeOf(locks.lock('a').acquire())).toBe(FULL);
      expect(await codeOf(locks.lock('a').acquire({ timeoutMs: 60_000 }))).toBe(FULL);
      expect(await codeOf(locks.lock('a').tryAcquire())).toBe(FULL);
      expect(store.clock.now()).toBe(start);
      expect(store.asked).toBe(3);
      await locks.close();
    });
  });

  test('keeps a waiter waiting, and grants to it when there is room', async () => {
    const store = new FullStore();
    await store.clock.run(async () => {
      const [locks, other] = [store.open(), store.open()];
      const hold = await locks.lock('a').acquire();
      const waiting = other.lock('a').acquire();
      // In the line of this process, behind its own holder: it has never asked the store.
      const behind = locks.lock('a').acquire({ timeoutMs: 120_000 });
      await store.clock.sleep(100);
      store.full = true;
      await store.clock.sleep(100);
      await hold.release();
      const before = store.asked;
      await store.clock.sleep(60_000);
      const asked = store.asked - before;
      expect(asked, `two ask once a second, and asked ${asked} times in a minute`).toBeGreaterThanOrEqual(
        100,
      );
      expect(asked, `two ask once a second, and asked ${asked} times in a minute`).toBeLessThanOrEqual(130);
      store.full = false;
      await (await waiting).release();
      await (await behind).release();
      await locks.close();
      await other.close();
    });
  });

  test('is why a wait ends that it was full for to the end: no contention, and no null', async () => {
    const store = new FullStore();
    await store.clock.run(async () => {
      const [locks, other] = [store.open(), store.open()];
      const hold = await locks.lock('a').acquire();
      const start = store.clock.now();
      const outcomes = [
        codeOf(other.lock('a').acquire({ timeoutMs: 10_000 })),
        codeOf(other.lock('a').tryAcquire({ timeoutMs: 20_000 })),
      ];
      await store.clock.sleep(100);
      store.full = true;
      await hold.release();
      expect(await outcomes[0]).toBe(FULL);
      expect(Math.round(store.clock.now() - start)).toBe(10_000);
      expect(await outcomes[1]).toBe(FULL);
      expect(Math.round(store.clock.now() - start)).toBe(20_000);
      store.full = false;
      // Nothing is left of them.
      await (await locks.lock('a').acquire({ timeoutMs: 100 })).release();
      await locks.close();
      await other.close();
    });
  });

  for (const kind of ['lock', 'fairLock'] as const)
    test(`is the error of the waiters behind the first of their process: ${kind}`, async () => {
      const store = new FullStore();
      await store.clock.run(async () => {
        const [locks, other] = [store.open(), store.open()];
        const owner = other.owner();
        const hold = await locks[kind]('a').acquire();
        const patient = new AbortController();
        const first = codeOf(other[kind]('a').acquire({ owner, signal: patient.signal }));
        // They ask nothing themselves: in line behind the first, or because it is of their owner.
        const behind = [
          codeOf(other[kind]('a').acquire({ timeoutMs: 10_000 })),
          codeOf(other[kind]('a').tryAcquire({ timeoutMs: 20_000 })),
          codeOf(other[kind]('a').acquire({ timeoutMs: 15_000, owner })),
        ];
        await store.clock.sleep(100);
        store.full = true;
        await hold.release();
        for (const outcome of behind) expect(await outcome).toBe(FULL);
        patient.abort('enough');
        expect(await first).toBe('enough');
        store.full = false;
        await (await locks[kind]('a').acquire({ timeoutMs: 100 })).release();
        await locks.close();
        await other.close();
      });
    });

  test('is no reason once it has had room again: those behind the first waiter see contention', async () => {
    const store = new FullStore();
    await store.clock.run(async () => {
      const [locks, other] = [store.open(), store.open()];
      const hold = await locks.lock('a').acquire();
      const first = other.lock('a').acquire();
      const behind = codeOf(other.lock('a').acquire({ timeoutMs: 20_000 }));
      await store.clock.sleep(100);
      store.full = true;
      await hold.release();
      await store.clock.sleep(5_000);
      store.full = false;
      const quicker = await locks.lock('a').acquire();
      expect(String(await behind)).toMatch(/was not acquired within 20000 ms/);
      await quicker.release();
      await (await first).release();
      await locks.close();
      await other.close();
    });
  });

  test('is the error of a waiter whose turn comes when its time is over', async () => {
    for (let laterMs = 0; laterMs < 1; laterMs += 0.02) {
      const store = new FullStore();
      await store.clock.run(async () => {
        const [locks, other] = [store.open(), store.open()];
        const hold = await locks.lock('a').acquire();
        store.clock.readingMs = 0.01;
        const outcomes = [0, laterMs].map((ms) =>
          codeOf(other.lock('a').acquire({ timeoutMs: 10_000 + ms })),
        );
        await store.clock.sleep(100);
        store.full = true;
        await hold.release();
        expect(await Promise.all(outcomes), `${laterMs} ms later`).toStrictEqual([FULL, FULL]);
        store.clock.readingMs = 0;
        store.full = false;
        await locks.close();
        await other.close();
      });
    }
  });

  test('does not keep the time of a party at a barrier from ending: for the others, the party ran out of time', async () => {
    const store = new FullStore();
    await store.clock.run(async () => {
      const [locks, other] = [store.open(), store.open()];
      const barrier = locks.barrier('a', { parties: 3 });
      const patient = codeOf(other.barrier('a', { parties: 3 }).arrive());
      const hasty = codeOf(barrier.arrive({ timeoutMs: 2500 }));
      await store.clock.sleep(100);
      store.full = true;
      expect(await hasty).toBe(FULL);
      store.full = false;
      expect(reasonOf(await patient)).toBe('timeout');
      expect(await barrier.isBroken()).toBe(true);
      await locks.close();
      await other.close();
    });
  });
});
