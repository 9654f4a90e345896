import assert from 'node:assert/strict';
import { AcquireTimeoutError, type Factories } from '../../../index.ts';
import { assertRejects } from '../../harness/coded-error.ts';
import { type ExclusiveAdapter, isFree, untilFree } from '../../harness/exclusive.ts';
import { type Cases, needing } from '../../suites/suite.ts';

/** How long a waiter waits, and what is left when its time is over. */
export function waitingCases<K extends keyof Factories>({ open }: ExclusiveAdapter<K>): Cases<K> {
  return {
    'tryAcquire is one attempt': async (bench) => {
      const thing = open(await bench.open(), bench.name);
      const hold = await thing.acquire();
      const start = bench.time.now();
      assert.equal(await thing.tryAcquire(), null);
      assert.equal(await thing.tryAcquire({ timeoutMs: 0 }), null);
      bench.assertWithin(start, 0);
      assert.equal(await thing.waiters(), 0);
      await hold.release();
    },

    // RedissonLockTest.testTryLockWait, RedissonFairLockTest.testTryLockWait, RedissonSpinLockTest.testTryLockAsyncWaitTime
    'tryAcquire with a time-out waits that long and answers null': async (bench) => {
      const thing = open(await bench.open(), bench.name);
      const hold = await thing.acquire();
      const start = bench.time.now();
      assert.equal(await thing.tryAcquire({ timeoutMs: 3 * bench.unit }), null);
      bench.assertElapsed(start, 3 * bench.unit);
      await hold.release();
    },

    // RedissonSpinLockTest.testTryLockAsync, RedissonNonReentrantLockTest
    'a waiter of this client or of another acquires after a release': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      for (const waiter of [client, other]) {
        const hold = await open(client, bench.name).acquire();
        const start = bench.time.now();
        const waiting = bench.begin(open(waiter, bench.name).tryAcquire({ timeoutMs: 20 * bench.unit }));
        await bench.time.sleep(bench.unit);
        await hold.release();
        const next = await waiting;
        assert.ok(next);
        bench.assertElapsed(start, bench.unit);
        await next.release();
      }
    },

    'a time-out of Infinity is none: the waiter waits without limit': async (bench) => {
      const thing = open(await bench.open(), bench.name);
      const hold = await thing.acquire({ timeoutMs: Infinity });
      const waiting = [thing.acquire({ timeoutMs: Infinity }), thing.tryAcquire({ timeoutMs: Infinity })];
      void bench.begin(waiting);
      await bench.time.sleep(bench.unit);
      await hold.release();
      const released = waiting.map(async (next) => {
        const held = await next;
        assert.ok(held);
        await held.release();
      });
      await Promise.all(released);
    },

    'acquire with a time-out rejects when it is over': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const thing = open(client, bench.name);
      const hold = await open(other, bench.name).acquire();
      const start = bench.time.now();
      const error = await assertRejects(
        () => thing.acquire({ timeoutMs: 2 * bench.unit }),
        'ACQUIRE_TIMEOUT',
        client.label,
      );
      bench.assertElapsed(start, 2 * bench.unit);
      assert.ok(error instanceof AcquireTimeoutError);
      assert.ok(error.resource.includes(JSON.stringify(bench.name)), error.resource);
      assert.ok(error.message.includes(`${2 * bench.unit} ms`), error.message);
      await hold.release();
    },

    'acquire with a time-out of zero is one attempt': async (bench) => {
      const thing = open(await bench.open(), bench.name);
      const hold = await thing.acquire({ timeoutMs: 0 });
      const start = bench.time.now();
      await assertRejects(() => thing.acquire({ timeoutMs: 0 }), 'ACQUIRE_TIMEOUT');
      bench.assertWithin(start, 0);
      await hold.release();
    },

    // RedissonFairLockTest.testTryLockNonDelayed
    'a waiter that gave up leaves no trace': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const [thing, elsewhere] = [open(client, bench.name), open(other, bench.name)];
      const hold = await thing.acquire();
      await Promise.all([
        assert.rejects(thing.acquire({ timeoutMs: bench.unit })),
        assert.rejects(elsewhere.acquire({ timeoutMs: bench.unit })),
      ]);
      await bench.untilWaiting(0, thing, elsewhere);
      await hold.release();
      assert.ok(await isFree(elsewhere));
    },

    'a waiter whose predecessor gives up acquires all the same': async (bench) => {
      const clients = [await bench.open(), await bench.open(), await bench.open()];
      const [holding, leaving, staying] = clients.map((client) => open(client, bench.name));
      const hold = await holding!.acquire();
      const start = bench.time.now();
      const gone = bench.begin(assert.rejects(leaving!.acquire({ timeoutMs: bench.unit })));
      await bench.untilWaiting(1, leaving!);
      const waiting = staying!.acquire().then((next) => {
        bench.assertElapsed(start, 2 * bench.unit);
        return next.release();
      });
      void bench.begin(waiting);
      await gone;
      await bench.time.sleep(start + 2 * bench.unit - bench.time.now());
      await hold.release();
      await waiting;
    },

    // A timer that was set again fires after the others of its instant: the last waiter asks before the first.
    'a waiter that asks too early, before the one ahead of it, does not oversleep': needing(
      'exact time',
      async (bench) => {
        const [holder, first, second] = [await bench.open(), await bench.open(), await bench.open()];
        const leaseMs = 3 * bench.unit;
        const start = bench.time.now();
        await open(holder, bench.name).acquire({ leaseMs });
        const waiting: Promise<unknown>[] = [];
        for (const client of [first, second]) {
          waiting.push(bench.begin(open(client, bench.name).acquire({ leaseMs: bench.unit })));
          await bench.untilWaiting(waiting.length, ...[first, second].map((one) => open(one, bench.name)));
        }
        await bench.time.sleep(start + leaseMs - bench.unit / 2 - bench.time.now());
        const short = await open(first, `${bench.name}-other`).acquire({ leaseMs: bench.unit / 10 });
        await bench.until(() => short.lost.aborted);
        await Promise.all(waiting);
        bench.assertElapsed(start, leaseMs + bench.unit);
        await untilFree(bench, open(holder, bench.name));
      },
    ),

    'it tells how many wait': async (bench) => {
      const thing = open(await bench.open(), bench.name);
      assert.equal(await thing.waiters(), 0);
      const hold = await thing.acquire();
      const waiting = bench.begin([1, 2, 3].map(() => thing.acquire().then((next) => next.release())));
      await bench.untilWaiting(3, thing);
      await hold.release();
      await Promise.all(waiting);
      assert.equal(await thing.waiters(), 0);
    },
  };
}
