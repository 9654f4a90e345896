import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import { describe, expect, test } from 'vitest';
import { MemoryStore } from '../../src/engines/memory/index.ts';
import {
  type AcquireTrace,
  AcquireTimeoutError,
  ClosedError,
  EngineError,
  type HoldOptions,
  multiLock,
  type Synchronizers,
} from '../../src/index.ts';
import { SessionEndedError } from '../../src/spi/errors.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';
import { storeEngine } from './store-engine.ts';

const channels = tracingChannel<unknown, AcquireTrace>('holdfast:acquire');
const CALLED = ['start', 'end'] as const;
const GRANTED = [...CALLED, 'asyncStart', 'asyncEnd'] as const;
const FAILED = [...CALLED, 'error', 'asyncStart', 'asyncEnd'] as const;

/** What was published while the body ran: the steps of each acquisition, by its trace. */
async function traced(body: () => Promise<unknown>): Promise<ReadonlyMap<AcquireTrace, readonly string[]>> {
  const traces = new Map<AcquireTrace, string[]>();
  const note = (step: string) => (trace: AcquireTrace) => {
    const steps = traces.get(trace);
    if (steps === undefined) traces.set(trace, [step]);
    else steps.push(step);
  };
  const [start, end, asyncStart, asyncEnd, error] = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'].map(
    note,
  );
  const subscribers = { start, end, asyncStart, asyncEnd, error } as Parameters<typeof channels.subscribe>[0];
  channels.subscribe(subscribers);
  try {
    await body();
  } finally {
    channels.unsubscribe(subscribers);
  }
  return traces;
}

/** Two engine objects on one store whose locks answer at once or over a wire. */
class Fleet {
  readonly clock = new VirtualClock();
  readonly #store = new MemoryStore(this.clock);
  failure: Error | undefined;
  silent = false;
  asked: () => void = () => undefined;

  open(isDistant = true): Synchronizers {
    return storeEngine(this.clock, this.#store, { renewalLeaseMs: 3000, label: 'fleet' }, (protocols) => {
      const { lock, fairLock } = protocols;
      if (!isDistant) return {};
      return {
        lock: { ...lock, acquire: this.#overWire(lock.acquire) },
        fairLock: {
          ...fairLock,
          traits: { ...fairLock.traits, batchesWaiters: true },
          acquire: this.#overWire(fairLock.acquire),
        },
      };
    });
  }

  #overWire<A extends readonly unknown[], R>(acquire: (...args: A) => R) {
    return async (...args: A): Promise<Awaited<R>> => {
      this.asked();
      await this.clock.sleep(this.silent ? 60_000 : 1);
      if (this.failure !== undefined) throw this.failure;
      return await acquire(...args);
    };
  }
}

function inFleet(body: (fleet: Fleet) => Promise<void>): () => Promise<void> {
  return () => {
    const fleet = new Fleet();
    return fleet.clock.run(() => body(fleet));
  };
}

/** The trace of the only acquisition, and its steps. */
async function tracedOnce(body: () => Promise<unknown>): Promise<[AcquireTrace, readonly string[]]> {
  const traces = [...(await traced(body))];
  expect(traces).toHaveLength(1);
  return traces[0]!;
}

/** One call to acquire each kind of synchronizer that can be held. */
const ACQUIRE: Record<string, (locks: Synchronizers, options?: HoldOptions) => Promise<unknown>> = {
  lock: (locks, options) => locks.lock('a').acquire(options),
  fairLock: (locks, options) => locks.fairLock('a').acquire(options),
  readLock: (locks, options) => locks.readWriteLock('a').read.acquire(options),
  writeLock: (locks, options) => locks.readWriteLock('a').write.acquire(options),
  semaphore: (locks, options) => locks.semaphore('a', { permits: 1 }).acquire(options),
  permitSemaphore: (locks, options) => locks.permitSemaphore('a', { permits: 1 }).acquire(options),
  election: (locks, options) => locks.election('a').campaign(options),
  monitor: (locks, options) => locks.monitor('a', { initial: 0 }).run(() => undefined, options),
};

/** Has each of them until the body is over. */
async function whileHeld(locks: Synchronizers, body: () => Promise<void>): Promise<void> {
  const holds = [
    await locks.lock('a').acquire(),
    await locks.fairLock('a').acquire(),
    await locks.readWriteLock('a').write.acquire(),
    await locks.semaphore('a', { permits: 1 }).acquire(),
    await locks.permitSemaphore('a', { permits: 1 }).acquire(),
    await locks.election('a').campaign(),
  ];
  await locks.monitor('a', { initial: 0 }).run(body);
  for (const hold of holds) await hold.release();
}

describe.each(Object.entries(ACQUIRE))('the trace of an acquisition of a %s', (kind, acquire) => {
  test.each([true, false])('has owner and fence when it is granted (over a wire: %s)', async (isDistant) => {
    const fleet = new Fleet();
    await fleet.clock.run(async () => {
      await using locks = fleet.open(isDistant);
      const [trace, steps] = await tracedOnce(() => acquire(locks));
      expect(steps).toEqual(GRANTED);
      expect(trace).toMatchObject({ kind, name: 'a', engine: 'fleet', waited: false, reentered: false });
      expect(trace.owner).toContain(':');
      expect(trace.result).toHaveProperty('fence', trace.fence);
      expect(trace.elapsedMs).toBe(isDistant && (kind === 'lock' || kind === 'fairLock') ? 1 : 0);
    });
  });

  test(
    'says that it waited, and for how long, when its time is over',
    inFleet(async (fleet) => {
      await using locks = fleet.open();
      await using rival = fleet.open();
      await whileHeld(rival, async () => {
        const [trace, steps] = await tracedOnce(async () => {
          await expect(acquire(locks, { timeoutMs: 500 })).rejects.toThrow(AcquireTimeoutError);
        });
        expect(steps).toEqual(FAILED);
        expect(trace).toMatchObject({ kind, waited: true, elapsedMs: 500 });
        expect(trace.error).toBeInstanceOf(AcquireTimeoutError);
        expect(trace.owner).toContain(':');
        expect(trace.fence).toBeUndefined();
      });
    }),
  );

  test(
    'ends with the reason of an abort, while it waits and before',
    inFleet(async (fleet) => {
      await using locks = fleet.open();
      await using rival = fleet.open();
      await whileHeld(rival, async () => {
        const stop = new AbortController();
        const reason = new Error('enough');
        const [trace, steps] = await tracedOnce(async () => {
          const aborting = fleet.clock.sleep(20).then(() => stop.abort(reason));
          await expect(acquire(locks, { signal: stop.signal })).rejects.toBe(reason);
          await aborting;
        });
        expect(steps).toEqual(FAILED);
        expect(trace).toMatchObject({ error: reason, waited: true, elapsedMs: 20 });
        const [late, lateSteps] = await tracedOnce(() =>
          expect(acquire(locks, { signal: stop.signal })).rejects.toBe(reason),
        );
        expect(lateSteps).toEqual(FAILED);
        expect(late).toMatchObject({ error: reason, waited: false, elapsedMs: 0 });
      });
    }),
  );

  test(
    'ends when the engine object is closed, and is there for a call after that',
    inFleet(async (fleet) => {
      const locks = fleet.open();
      await using rival = fleet.open();
      await whileHeld(rival, async () => {
        const traces = await traced(async () => {
          const closing = fleet.clock.sleep(20).then(() => locks.close());
          await expect(acquire(locks)).rejects.toThrow(ClosedError);
          await closing;
          await expect(acquire(locks)).rejects.toThrow(ClosedError);
        });
        expect([...traces.values()]).toEqual([FAILED, FAILED]);
        for (const { error } of traces.keys()) expect(error).toBeInstanceOf(ClosedError);
      });
    }),
  );
});

describe('the trace of an acquisition', () => {
  test(
    'that is a try ends with null, which is no error, whether it waited or not',
    inFleet(async (fleet) => {
      await using locks = fleet.open();
      await using rival = fleet.open();
      await whileHeld(rival, async () => {
        for (const timeoutMs of [undefined, 100]) {
          const options = timeoutMs === undefined ? {} : { timeoutMs };
          for (const lock of [locks.lock('a'), locks.fairLock('a'), locks.semaphore('a', { permits: 1 })]) {
            const [trace, steps] = await tracedOnce(async () =>
              expect(await lock.tryAcquire(options)).toBeNull(),
            );
            expect(steps).toEqual(GRANTED);
            expect(trace).toMatchObject({ result: null, waited: timeoutMs !== undefined });
          }
        }
        const [trace, steps] = await tracedOnce(() =>
          expect(locks.lock('a').acquire({ timeoutMs: 0 })).rejects.toThrow(AcquireTimeoutError),
        );
        expect(steps).toEqual(FAILED);
        expect(trace.waited).toBe(false);
      });
    }),
  );

  test(
    'ends with what the store failed with, and with an outage',
    inFleet(async (fleet) => {
      await using locks = fleet.open();
      for (const kind of ['lock', 'fairLock'] as const) {
        fleet.failure = new EngineError('broken', { resource: 'a', engine: 'fleet' }, { retryable: false });
        const [trace, steps] = await tracedOnce(() =>
          expect(locks[kind]('a').acquire()).rejects.toBe(fleet.failure),
        );
        expect(steps).toEqual(FAILED);
        expect(trace.error).toBe(fleet.failure);
        fleet.failure = undefined;
        fleet.silent = true;
        const [silent, silentSteps] = await tracedOnce(() =>
          expect(locks[kind]('a').acquire({ timeoutMs: 300 })).rejects.toThrow(EngineError),
        );
        expect(silentSteps).toEqual(FAILED);
        expect(silent).toMatchObject({ elapsedMs: 300 });
        fleet.silent = false;
      }
    }),
  );

  test(
    'is there for a call with a wrong argument',
    inFleet(async (fleet) => {
      await using locks = fleet.open();
      const [trace, steps] = await tracedOnce(() =>
        expect(locks.lock('a').acquire({ timeoutMs: -1 })).rejects.toThrow(RangeError),
      );
      expect(steps).toEqual(FAILED);
      expect(trace.error).toBeInstanceOf(RangeError);
    }),
  );

  test(
    'that starts again as a new owner is one, and has the owner that was granted',
    inFleet(async (fleet) => {
      await using locks = fleet.open();
      fleet.failure = new SessionEndedError({ resource: 'a', engine: 'fleet' });
      const [trace, steps] = await tracedOnce(async () => {
        const acquiring = locks.lock('a').acquire();
        await fleet.clock.sleep(1);
        fleet.failure = undefined;
        const hold = await acquiring;
        expect(await locks.lock('a').holder()).toMatchObject({ fence: hold.fence });
      });
      expect(steps).toEqual(GRANTED);
      expect(trace.owner).toBe((await locks.lock('a').holder())?.owner);
    }),
  );

  test(
    'says of each that shares a ticket of a fair lock whether it waited',
    inFleet(async (fleet) => {
      await using locks = fleet.open();
      const lock = locks.fairLock('a');
      const apart = await traced(async () => {
        await Promise.all([lock.run(() => undefined), lock.run(() => undefined)]);
      });
      expect([...apart.keys()].map(({ waited }) => waited)).toEqual([false, true]);
      await using rival = fleet.open();
      await whileHeld(rival, async () => {
        const together = await traced(async () => {
          const options = { timeoutMs: 100 };
          await Promise.all([lock.tryAcquire(options), lock.tryAcquire(options)]);
        });
        const [first, second] = [...together.keys()];
        expect([first?.waited, second?.waited]).toEqual([true, true]);
        expect(first?.owner).toBe(second?.owner);
      });
    }),
  );

  test(
    'tells a re-entry from a grant, and when it waited for another branch of its run or for its owner',
    inFleet(async (fleet) => {
      await using locks = fleet.open();
      const lock = locks.lock('a');
      const traces = await traced(() =>
        lock.run(async () => {
          await Promise.all([lock.run(() => fleet.clock.sleep(10)), lock.run(() => undefined)]);
        }),
      );
      expect([...traces.values()]).toEqual([GRANTED, GRANTED, GRANTED]);
      expect(
        [...traces.keys()].map(({ reentered, waited, elapsedMs }) => [reentered, waited, elapsedMs]),
      ).toEqual([
        [false, false, 1],
        [true, false, 0],
        [true, true, 10],
      ]);
      const owner = locks.owner('worker');
      const owned = await traced(async () => {
        const holds = await Promise.all([lock.acquire({ owner }), lock.acquire({ owner })]);
        for (const hold of holds) await hold.release();
      });
      expect([...owned.keys()].map(({ reentered, waited }) => [reentered, waited])).toEqual([
        [false, false],
        [true, true],
      ]);
    }),
  );

  test(
    'refuses a second branch that an untraced acquisition keeps out (law 14)',
    inFleet(async (fleet) => {
      await using locks = fleet.open();
      const lock = locks.lock('a');
      const outcomes: string[] = [];
      const ask = () =>
        lock.acquire().then(
          async (hold) => {
            outcomes.push('in');
            await hold.release();
          },
          (error: Error) => void outcomes.push(error.name),
        );
      // The second branch asks so many microtasks after the first, and the first goes on in one of them.
      const branches = async () => {
        for (let later = 0; later < 8; later++) {
          await lock.run(async () => {
            const first = ask();
            for (let turn = 0; turn < later; turn++) await Promise.resolve();
            outcomes.push('ask');
            await Promise.all([first, ask()]);
          });
        }
      };
      await branches();
      const untraced = outcomes.splice(0);
      await traced(branches);
      expect(outcomes).toEqual(untraced);
    }),
  );

  test(
    'carries the stores that a subscriber has bound down to the engine, and to its end',
    inFleet(async (fleet) => {
      const store = new AsyncLocalStorage<string>();
      channels.start.bindStore(store, ({ id, name }) => `${name} ${id}`);
      const seen: (string | undefined)[] = [];
      const end = (trace: AcquireTrace): void => void seen.push(store.getStore(), `a ${trace.id}`);
      channels.asyncEnd.subscribe(end as (message: unknown) => void);
      try {
        await using locks = fleet.open();
        fleet.asked = () => seen.push(store.getStore());
        await locks.lock('a').acquire();
        expect(new Set(seen)).toHaveLength(1);
        expect(seen).toHaveLength(3);
        expect(store.getStore()).toBeUndefined();
      } finally {
        channels.start.unbindStore(store);
        channels.asyncEnd.unsubscribe(end as (message: unknown) => void);
      }
    }),
  );

  test(
    'is not made when no subscriber listens',
    inFleet(async (fleet) => {
      await using locks = fleet.open();
      const use = () => locks.lock('a').run(() => undefined);
      const [before] = await tracedOnce(use);
      await use();
      await locks.semaphore('a', { permits: 1 }).run(() => undefined);
      const [after] = await tracedOnce(use);
      expect(after.id - before.id).toBe(1);
    }),
  );

  test(
    'of a multi-lock is that of its members',
    inFleet(async (fleet) => {
      await using locks = fleet.open();
      const both = multiLock([locks.lock('a'), locks.lock('b')]);
      const traces = await traced(() => both.run(() => undefined));
      expect([...traces.keys()].map(({ name }) => name).toSorted()).toEqual(['a', 'b']);
    }),
  );
});
