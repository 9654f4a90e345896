import assert from 'node:assert/strict';
import type { Synchronizers } from '../../index.ts';
import { assertCoded } from '../harness/coded-error.ts';
import { ownedAttemptOutageCases } from '../cases/losses/attempt-outage-cases.ts';
import { exclusiveCases } from '../cases/acquiring/exclusive-cases.ts';
import { holderCases } from '../cases/holder-cases.ts';
import { inspectionCases } from '../cases/inspection-cases.ts';
import { minHoldArgumentCases } from '../cases/lock/min-hold-argument-cases.ts';
import { minHoldCases } from '../cases/lock/min-hold-cases.ts';
import { reenteredMinHoldCases } from '../cases/lock/reentered-min-hold-cases.ts';
import { nameCases } from '../cases/arguments/name-cases.ts';
import { ownerCases } from '../cases/reentry/owner-cases.ts';
import { reentrantCases } from '../cases/reentry/reentrant-cases.ts';
import { type Cases, suiteOf } from './suite.ts';

const open = (client: Synchronizers<'fairLock'>, name: string) => client.fairLock(name);
const adapter = { open, rival: open };

const orderCases: Cases<'fairLock'> = {
  // RedissonFairLockTest.testConcurrency_MultiInstance_Ordering
  'it is granted in the order of asking, over all clients': async (bench) => {
    const clients = [await bench.open(), await bench.open(), await bench.open()];
    const locks = clients.map((client) => open(client, bench.name));
    const hold = await locks[0]!.acquire();
    const order: number[] = [];
    const waiting: Promise<void>[] = [];
    for (let at = 0; at < 30; at++) {
      const granted = locks[(at * 7) % 3]!.acquire();
      waiting.push(
        granted.then((next) => {
          order.push(at);
          return next.release();
        }),
      );
      void bench.begin(waiting);
      await bench.untilWaiting(at + 1, ...locks);
    }
    await hold.release();
    await Promise.all(waiting);
    assert.deepEqual(
      order,
      Array.from({ length: 30 }, (_, at) => at),
    );
  },

  // RedissonFairLockTest.testLeaseTimeout: no owner ever unlocks
  'leases that end pass it on in the same order': async (bench) => {
    const clients = [await bench.open(), await bench.open()];
    const locks = clients.map((client) => open(client, bench.name));
    const order: number[] = [];
    const start = bench.time.now();
    const waiting: Promise<unknown>[] = [];
    for (let at = 0; at < 8; at++) {
      waiting.push(bench.begin(locks[at % 2]!.acquire({ leaseMs: bench.unit }).then(() => order.push(at))));
      await bench.until(async () => order.length + (await bench.waiting(...locks)) > at);
    }
    await Promise.all(waiting);
    bench.assertElapsed(start, 7 * bench.unit);
    assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7]);
    await bench.until(async () => !(await locks[0]!.isLocked()));
  },

  'no later waiter passes an earlier one': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const lock = open(client, bench.name);
    const hold = await lock.acquire();
    const waiting = bench.begin(open(other, bench.name).acquire());
    await bench.untilWaiting(1, open(other, bench.name));
    const [, passed] = await Promise.all([hold.release(), lock.tryAcquire()]);
    assert.equal(passed, null);
    await (await waiting).release();
  },

  'waiters that leave the middle of the queue delay no other': async (bench) => {
    const client = await bench.open();
    const lock = open(client, bench.name);
    const hold = await lock.acquire();
    const controller = bench.controller();
    const order: number[] = [];
    const waiting = Array.from({ length: 9 }, (_, at) =>
      lock.acquire(at % 3 === 1 ? { signal: controller.signal } : {}).then(
        (next) => {
          order.push(at);
          return next.release();
        },
        () => undefined,
      ),
    );
    void bench.begin(waiting);
    await bench.untilWaiting(9, lock);
    controller.abort();
    await bench.untilWaiting(6, lock);
    await hold.release();
    await Promise.all(waiting);
    assert.deepEqual(order, [0, 2, 3, 5, 6, 8]);
  },

  // RedissonFairLockTest.testWaitTimeoutDrift, testAcquireFailedTimeoutDrift_Descrete
  'many short tries do not delay a waiter': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const lock = open(client, bench.name);
    const hold = await lock.acquire();
    const waiting = bench.begin(open(other, bench.name).acquire());
    await bench.untilWaiting(1, open(other, bench.name));
    for (let round = 0; round < 20; round++) {
      // A store that is farther away has not answered in time, which is no contention.
      const attempt = lock.tryAcquire({ timeoutMs: 5 }).catch((error: unknown) => {
        assertCoded(error, 'ENGINE');
        return null;
      });
      assert.equal(await attempt, null);
    }
    const start = bench.time.now();
    await hold.release();
    const next = await waiting;
    bench.assertWithin(start, 0);
    await next.release();
  },
};

/** The fair lock: one queue for the whole fleet. */
export const fairLockSuite = suiteOf<'fairLock'>(
  'fairLock',
  exclusiveCases(adapter),
  reentrantCases(adapter),
  ownerCases(adapter),
  ownedAttemptOutageCases(adapter),
  inspectionCases(adapter),
  holderCases(adapter),
  minHoldCases(adapter),
  minHoldArgumentCases(adapter),
  reenteredMinHoldCases(adapter),
  nameCases({ make: open, use: (lock) => lock.run(() => undefined) }),
  orderCases,
);
