import assert from 'node:assert/strict';
import type { Factories, Synchronizers, TimedLock } from '../../../index.ts';
import { explainedTimeout } from '../../harness/explained-timeout.ts';
import { rejectionOf } from '../../harness/coded-error.ts';
import { isFree, untilFree } from '../../harness/exclusive.ts';
import { type Case, type Cases, needing } from '../../suites/suite.ts';

/** How a lock that may stay taken after its release is opened. */
export interface TimedAdapter<K extends keyof Factories> {
  readonly open: (client: Synchronizers<K>, name: string) => TimedLock;
}

/** Holds that last for some time at least, whenever they are released. */
export function minHoldCases<K extends keyof Factories>({ open }: TimedAdapter<K>): Cases<K> {
  const cases: Cases<K> = {
    'a hold with minHoldMs keeps others out until then, however soon it is released': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const start = bench.time.now();
      const hold = await open(client, bench.name).acquire({ minHoldMs: 3 * bench.unit });
      await hold.release();
      assert.equal(hold.remainingMs, 0);
      assert.equal(hold.lost.aborted, false);
      assert.throws(() => hold.throwIfLost(), 'it is over for its holder');
      const lock = open(other, bench.name);
      assert.equal(await lock.tryAcquire(), null);
      assert.equal(await open(client, bench.name).tryAcquire(), null, 'also in the same process');
      const seen = await lock.holder();
      assert.equal(seen?.fence, hold.fence);
      assert.ok(seen !== null && seen.remainingMs > 0 && seen.remainingMs <= 3 * bench.unit + 1);
      const next = await lock.acquire();
      bench.assertElapsed(start, 3 * bench.unit);
      assert.ok(next.fence > hold.fence);
      await next.release();
      assert.ok(await isFree(lock));
    },

    'waiters come in when minHoldMs is over, and not when the lease would have ended': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const lock = open(client, bench.name);
      const start = bench.time.now();
      const hold = await lock.acquire({ minHoldMs: 3 * bench.unit });
      const waiting = [lock, open(other, bench.name)].map(async (one) => {
        const next = await one.acquire();
        bench.assertNotBefore(start, 3 * bench.unit);
        await next.release();
      });
      void bench.begin(waiting);
      await bench.untilWaiting(2, lock, open(other, bench.name));
      await bench.time.sleep(bench.unit);
      await hold.release();
      await Promise.all(waiting);
      // A renewed lease ends much later than that.
      bench.assertWithin(start, 3 * bench.unit + 50);
    },

    'a release after minHoldMs ends the hold at once': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const hold = await open(client, bench.name).acquire({ minHoldMs: bench.unit });
      await bench.time.sleep(1.5 * bench.unit);
      await hold.release();
      assert.ok(await isFree(open(other, bench.name)));
    },

    'a hold with minHoldMs that is renewed longer than that ends with its release': async (bench) => {
      const renewalLeaseMs = 2 * bench.unit;
      const [client, other] = [await bench.open({ renewalLeaseMs }), await bench.open()];
      const hold = await open(client, bench.name).acquire({ minHoldMs: bench.unit });
      await bench.time.sleep(5 * bench.unit);
      hold.throwIfLost();
      assert.equal(await open(other, bench.name).tryAcquire(), null);
      await hold.release();
      assert.ok(await isFree(open(other, bench.name)));
    },

    'no renewal lengthens a hold with minHoldMs after its release': async (bench) => {
      const renewalLeaseMs = 2 * bench.unit;
      const [client, other] = [await bench.open({ renewalLeaseMs }), await bench.open()];
      const start = bench.time.now();
      const hold = await open(client, bench.name).acquire({ minHoldMs: 4 * bench.unit });
      await bench.time.sleep(3 * bench.unit);
      hold.throwIfLost();
      await hold.release();
      const next = await open(other, bench.name).acquire();
      bench.assertElapsed(start, 4 * bench.unit);
      await next.release();
    },

    'run keeps it taken for minHoldMs, also when its function throws': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const lock = open(client, bench.name);
      const minHoldMs = 2 * bench.unit;
      const start = bench.time.now();
      assert.equal(await lock.run(() => 'done', { minHoldMs }), 'done');
      assert.equal(await open(other, bench.name).tryAcquire(), null);
      const error = new Error('mine');
      const failing = lock.run(() => Promise.reject(error), { minHoldMs });
      assert.equal(await rejectionOf(() => failing), error);
      await (await open(other, bench.name).acquire()).release();
      bench.assertElapsed(start, 2 * minHoldMs);
    },

    'minHoldMs outlives close(), before and after the release': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const minHoldMs = 3 * bench.unit;
      const start = bench.time.now();
      await open(client, `${bench.name}-held`).acquire({ minHoldMs });
      await (await open(client, `${bench.name}-released`).acquire({ minHoldMs })).release();
      await client.close();
      const left = ['held', 'released'].map((which) => open(other, `${bench.name}-${which}`));
      for (const lock of left) assert.equal(await lock.tryAcquire(), null, lock.name);
      for (const lock of left) {
        await (await lock.acquire()).release();
        bench.assertNotBefore(start, minHoldMs);
      }
    },

    'minHoldMs outlives its process, before and after the release': needing('crash', async (bench) => {
      const renewalLeaseMs = 2 * bench.unit;
      const [client, other] = [await bench.open({ renewalLeaseMs }), await bench.open()];
      const minHoldMs = 4 * bench.unit;
      const start = bench.time.now();
      await open(client, `${bench.name}-held`).acquire({ minHoldMs });
      await (await open(client, `${bench.name}-released`).acquire({ minHoldMs })).release();
      await bench.crash(client);
      for (const which of ['held', 'released']) {
        const next = await open(other, `${bench.name}-${which}`).acquire();
        bench.assertNotBefore(start, minHoldMs);
        await next.release();
      }
    }),

    'minHoldMs counts from the grant of one that had to wait, and outlives its process': needing(
      'crash',
      async (bench) => {
        const renewalLeaseMs = 2 * bench.unit;
        const [client, other] = [await bench.open(), await bench.open({ renewalLeaseMs })];
        const hold = await open(client, bench.name).acquire();
        const waiting = bench.begin(open(other, bench.name).acquire({ minHoldMs: 5 * bench.unit }));
        await bench.untilWaiting(1, open(other, bench.name));
        await bench.time.sleep(1.2 * bench.unit);
        const start = bench.time.now();
        await hold.release();
        await waiting;
        await bench.crash(other);
        await (await open(client, bench.name).acquire()).release();
        bench.assertNotBefore(start, 5 * bench.unit);
      },
    ),

    'a waiter with minHoldMs that gives up leaves nothing behind': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const hold = await open(client, bench.name).acquire();
      const waiting = open(other, bench.name);
      const minHoldMs = 20 * bench.unit;
      const stop = bench.controller();
      const aborted = rejectionOf(() => waiting.acquire({ minHoldMs, signal: stop.signal }));
      await bench.untilWaiting(1, waiting);
      stop.abort();
      await aborted;
      assert.equal(await waiting.tryAcquire({ minHoldMs }), null);
      await hold.release();
      await untilFree(bench, waiting);
    },

    'a local waiter does not get a hold with minHoldMs before others may': async (bench) => {
      const lock = open(await bench.open(), bench.name);
      const start = bench.time.now();
      const hold = await lock.acquire({ minHoldMs: 2 * bench.unit });
      const second = bench.begin(lock.acquire({ minHoldMs: 2 * bench.unit }));
      const third = bench.begin(lock.acquire());
      await hold.release();
      const next = await second;
      bench.assertNotBefore(start, 2 * bench.unit);
      await next.release();
      await (await third).release();
      bench.assertNotBefore(start, 4 * bench.unit);
    },

    'a time-out behind what is left of a hold with minHoldMs does not advise to re-enter it': async (
      bench,
    ) => {
      const client = await bench.open();
      const lock = open(client, bench.name);
      await (await lock.acquire({ minHoldMs: 50 * bench.unit })).release();
      const error = await explainedTimeout(bench, lock, client.label, bench.unit);
      assert.equal(error.holder?.program, 'holdfast');
      assert.equal(error.holder?.inThisProcess, undefined);
      assert.doesNotMatch(error.message, /this very process|re-enter/);
      await lock.forceRelease();
    },

    'minHoldMs can be ended by force': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const hold = await open(client, bench.name).acquire({ minHoldMs: 50 * bench.unit });
      await hold.release();
      const lock = open(other, bench.name);
      assert.equal(await lock.forceRelease({ fence: hold.fence }), true);
      assert.ok(await isFree(lock));
    },

    'a release with minHoldMs whose answer was lost is one release': needing(
      'loseNextReply',
      async (bench) => {
        const [client, other] = [await bench.open(), await bench.open()];
        const start = bench.time.now();
        const hold = await open(client, bench.name).acquire({ minHoldMs: 3 * bench.unit });
        bench.loseNextReply(client);
        await hold.release();
        await hold.release();
        await (await open(other, bench.name).acquire()).release();
        bench.assertNotBefore(start, 3 * bench.unit);
      },
    ),
  };
  return allNeedingMinHold(cases);
}

/** All of the cases, for locks that take such a time. */
export function allNeedingMinHold<K extends keyof Factories>(cases: Cases<K>): Cases<K> {
  const timed = Object.entries(cases).map(([title, one]) => [title, needingMinHold(one)] as const);
  return Object.fromEntries(timed);
}

/** The case, for locks that take such a time. */
export function needingMinHold<K extends keyof Factories>(one: Case<K>): Case<K> {
  return typeof one === 'function'
    ? needing('minHold', one)
    : { ...one, needs: [...one.needs, 'minHold' as const] };
}
