import assert from 'node:assert/strict';
import type { HoldOptions, Lock, MultiHold } from '../../../index.ts';
import { BAD_FUNCTIONS, BAD_HOLD_OPTIONS } from '../arguments/bad-arguments.ts';
import type { Bench } from '../../harness/bench.ts';
import { assertRejects, assertRejectsArgument, rejectionOf } from '../../harness/coded-error.ts';
import { isFree } from '../../harness/exclusive.ts';
import { askWhetherLost, lossOf } from '../losses/lease-cases.ts';
import { safetyMarginMs } from '../../harness/safety-margin.ts';
import { type Cases, needing } from '../../suites/suite.ts';

/** A hold on several locks, of either kind. */
export type ComposedHold = Omit<MultiHold, 'fences'>;

/** A lock made of others. */
export interface Composed {
  readonly locks: readonly Lock[];
  acquire(options?: HoldOptions): Promise<ComposedHold>;
  tryAcquire(options?: HoldOptions): Promise<ComposedHold | null>;
  run<T>(fn: (hold: ComposedHold) => T | PromiseLike<T>, options?: HoldOptions): Promise<T>;
}

export type ComposedKinds = 'lock' | 'readWriteLock';

/** Makes a lock of three, each time over the same three names and with clients of its own. */
export type Compose = (bench: Bench<ComposedKinds>) => Promise<Composed>;

/** Neither kind wakes its waiters: they ask again after a pause of at most this. */
const LONGEST_PAUSE_MS = 250;

/** Asserts that no member is held or waited for. */
export async function assertAllFree({ locks }: Pick<Composed, 'locks'>): Promise<void> {
  for (const lock of locks) assert.equal(await lock.isLocked(), false, `${lock.name} is held`);
}

/** What both kinds of composed locks do. They differ in how many members make a hold. */
export function composedCases(compose: Compose): Cases<ComposedKinds> {
  return {
    'it excludes as a lock does': async (bench) => {
      const [one, other] = [await compose(bench), await compose(bench)];
      const hold = await one.acquire();
      hold.throwIfLost();
      assert.ok(hold.remainingMs > 0);
      assert.equal(await one.tryAcquire(), null);
      assert.equal(await other.tryAcquire(), null);
      await hold.release();
      await assertAllFree(one);
      assert.ok(await isFree(other as never));
      await assertAllFree(one);
    },

    'twenty contenders lose no update': async (bench) => {
      const contenders = await Promise.all(Array.from({ length: 5 }, () => compose(bench)));
      let [counter, inside] = [0, 0];
      await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          contenders[at % 5]!.run(async () => {
            assert.equal(++inside, 1);
            const seen = counter;
            await bench.time.sleep(1);
            counter = seen + 1;
            inside--;
          }),
        ),
      );
      assert.equal(counter, 20);
      await assertAllFree(contenders[0]!);
    },

    // RedissonMultiLockTest.testWaitAndLeaseTimeouts
    'of ten that try once, exactly one has it': async (bench) => {
      const contenders = await Promise.all(Array.from({ length: 10 }, () => compose(bench)));
      const holds: (ComposedHold | null)[] = [];
      for (const one of contenders) holds.push(await one.tryAcquire({ leaseMs: 10 * bench.unit }));
      assert.equal(holds.filter((hold) => hold !== null).length, 1);
      for (const hold of holds) await hold?.release();
    },

    'waiting ends when the time is over, and nothing is held': async (bench) => {
      const [one, other] = [await compose(bench), await compose(bench)];
      const hold = await other.acquire();
      const start = bench.time.now();
      const error = await assertRejects(() => one.acquire({ timeoutMs: 2 * bench.unit }), 'ACQUIRE_TIMEOUT');
      assert.match(error.resource, /Lock \[/);
      // A pause that would end too late is not begun.
      bench.assertWithin(start, 2 * bench.unit);
      assert.ok(bench.time.now() - start >= 2 * bench.unit - LONGEST_PAUSE_MS - 2);
      assert.equal(await one.tryAcquire({ timeoutMs: bench.unit }), null);
      await assertRejects(() => one.acquire({ timeoutMs: 0 }), 'ACQUIRE_TIMEOUT');
      await hold.release();
      await assertAllFree(one);
    },

    'a waiter has it soon after it was released': async (bench) => {
      const [one, other] = [await compose(bench), await compose(bench)];
      const hold = await other.acquire();
      const waiting = bench.begin(one.acquire());
      await bench.time.sleep(2 * bench.unit);
      const start = bench.time.now();
      await hold.release();
      const next = await waiting;
      bench.assertWithin(start, LONGEST_PAUSE_MS);
      await next.release();
    },

    'an abort ends the wait, with the reason untouched, and nothing is held': async (bench) => {
      const [one, other] = [await compose(bench), await compose(bench)];
      const hold = await other.acquire();
      const controller = bench.controller();
      const reason = { stop: true };
      const waiting = rejectionOf(() => one.acquire({ signal: controller.signal }));
      await bench.time.sleep(bench.unit);
      const start = bench.time.now();
      controller.abort(reason);
      assert.equal(await waiting, reason);
      bench.assertWithin(start, LONGEST_PAUSE_MS);
      assert.equal(await rejectionOf(() => one.acquire({ signal: controller.signal })), reason);
      await hold.release();
      await assertAllFree(one);
    },

    'a lease ends by itself, and its holder hears of it first': async (bench) => {
      const [one, other] = [await compose(bench), await compose(bench)];
      const leaseMs = 2 * bench.unit;
      const start = bench.time.now();
      const hold = await one.acquire({ leaseMs });
      const acquiredAt = bench.time.now();
      const events: string[] = [];
      hold.lost.addEventListener('abort', () => {
        bench.assertLeaseLasted(start, acquiredAt, leaseMs);
        events.push('lost');
      });
      const next = await other.acquire();
      askWhetherLost(bench, hold);
      events.push('next');
      assert.ok(bench.time.now() - start >= leaseMs - 2);
      bench.assertWithin(start, leaseMs + LONGEST_PAUSE_MS);
      assert.deepEqual(events, ['lost', 'next']);
      assert.equal(hold.remainingMs, 0);
      assert.throws(() => hold.throwIfLost(), { code: 'LEASE_LOST' });
      await assertRejects(() => hold.extend(bench.unit), 'LEASE_LOST');
      await assertRejects(() => hold.release(), 'LEASE_LOST');
      await hold.release();
      next.throwIfLost();
      assert.equal(await one.tryAcquire(), null, 'the next holder was let alone');
      await next.release();
    },

    'a hold without a lease outlives many of them': async (bench) => {
      const [one, other] = [await compose(bench), await compose(bench)];
      const hold = await one.acquire();
      for (let round = 0; round < 5; round++) {
        await bench.time.sleep(2 * bench.unit);
        hold.throwIfLost();
        assert.equal(await other.tryAcquire(), null);
      }
      await hold.release();
    },

    'it is kept for an hour': needing('exact time', async (bench) => {
      const [one, other] = [await compose(bench), await compose(bench)];
      const hold = await one.acquire();
      await bench.time.sleep(60 * 60 * 1000);
      hold.throwIfLost();
      assert.equal(await other.tryAcquire(), null);
      await hold.release();
    }),

    'extending makes at least that much remain, and never shortens': async (bench) => {
      const one = await compose(bench);
      const hold = await one.acquire({ leaseMs: 4 * bench.unit });
      await hold.extend(bench.unit);
      bench.assertAbout(hold.remainingMs, 4 * bench.unit - safetyMarginMs(4 * bench.unit));
      await hold.extend(9 * bench.unit);
      bench.assertAbout(hold.remainingMs, 9 * bench.unit - safetyMarginMs(9 * bench.unit));
      await hold.release();
    },

    'a released hold is good for nothing': async (bench) => {
      const [one, other] = [await compose(bench), await compose(bench)];
      const hold = await one.acquire();
      await Promise.all([hold.release(), hold.release()]);
      const next = await other.acquire();
      await hold.release();
      await hold[Symbol.asyncDispose]();
      assert.equal(hold.remainingMs, 0);
      assert.equal(hold.lost.aborted, false);
      assert.throws(() => hold.throwIfLost(), { code: 'NOT_HELD' });
      await assertRejects(() => hold.extend(bench.unit), 'NOT_HELD');
      next.throwIfLost();
      await next.release();
    },

    'run holds it, answers, and lets the error of the function win': async (bench) => {
      const one = await compose(bench);
      assert.equal(await one.run(() => 42), 42);
      const error = new Error('mine');
      assert.equal(await rejectionOf(() => one.run(() => Promise.reject(error))), error);
      await assertAllFree(one);
      const leaseMs = bench.unit;
      await assertRejects(() => one.run((hold) => lossOf(hold), { leaseMs }), 'LEASE_LOST');
      const late = one.run(
        async (hold) => {
          await lossOf(hold);
          throw error;
        },
        { leaseMs },
      );
      assert.equal(await rejectionOf(() => late), error);
    },

    'disposing releases': async (bench) => {
      const one = await compose(bench);
      {
        await using hold = await one.acquire();
        hold.throwIfLost();
      }
      await assertAllFree(one);
    },

    'bad options are refused, and nothing is held': async (bench) => {
      const one = await compose(bench);
      for (const bad of BAD_HOLD_OPTIONS) {
        const options = bad.given as HoldOptions;
        await assertRejectsArgument(bad, () => one.acquire(options));
        await assertRejectsArgument(bad, () => one.tryAcquire(options));
        await assertRejectsArgument(bad, () => one.run(() => assert.fail('ran'), options));
      }
      for (const bad of BAD_FUNCTIONS)
        await assertRejectsArgument(bad, () => one.run(bad.given as () => void));
      await assertAllFree(one);
    },
  };
}
