import assert from 'node:assert/strict';
import type { Factories, Lock, Synchronizers } from '../../../index.ts';
import { assertRejects, rejectionOf } from '../../harness/coded-error.ts';
import { Deferred } from '../../harness/deferred.ts';
import { type Cases, merged } from '../../suites/suite.ts';
import { mixedReentryCases } from './mixed-reentry-cases.ts';
import { nestedLeaseCases } from './nested-lease-cases.ts';

export interface LockAdapter<K extends keyof Factories> {
  readonly open: (client: Synchronizers<K>, name: string) => Lock;
  /** What must wait while another owner holds the lock: the lock itself, or the other side of a read side. */
  readonly rival: (client: Synchronizers<K>, name: string) => Lock;
}

/** Acquiring again inside a scope what its owner already holds. */
export function reentrantCases<K extends keyof Factories>(adapter: LockAdapter<K>): Cases<K> {
  return merged(scopeCases(adapter), nestedLeaseCases(adapter), mixedReentryCases(adapter));
}

function scopeCases<K extends keyof Factories>({ open, rival }: LockAdapter<K>): Cases<K> {
  return {
    // RedissonLockTest.testReentrancy, testGetHoldCount
    'a run inside a run is the same owner': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const lock = open(client, bench.name);
      assert.equal(lock.holdCount(), 0);
      await lock.run(async (outer) => {
        assert.equal(lock.holdCount(), 1);
        await open(client, bench.name).run(async (inner) => {
          assert.equal(lock.holdCount(), 2);
          assert.equal(inner.fence, outer.fence);
        });
        assert.equal(lock.holdCount(), 1);
        assert.equal(await rival(other, bench.name).tryAcquire(), null, 'the inner end released nothing');
      });
      assert.equal(lock.holdCount(), 0);
      assert.equal(await lock.isLocked(), false);
    },

    'acquire and tryAcquire inside a run are the same owner': async (bench) => {
      const client = await bench.open();
      const lock = open(client, bench.name);
      await lock.run(async () => {
        const first = await lock.acquire();
        assert.equal(lock.holdCount(), 2);
        await first.release();
        await first.release();
        assert.equal(lock.holdCount(), 1, 'the second release did not count');
        const second = await lock.tryAcquire();
        assert.equal(second?.fence, first.fence);
        await second.release();
      });
      assert.equal(await lock.isLocked(), false);
    },

    'an inner hold that outlives its run keeps the lock': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const lock = open(client, bench.name);
      const kept = await lock.run(() => lock.acquire());
      kept.throwIfLost();
      assert.equal(await rival(other, bench.name).tryAcquire(), null);
      await kept.release();
      assert.equal(await lock.isLocked(), false);
    },

    // RedissonLockTest.testIsHeldByCurrentThreadOtherThread; reliability H15
    'a scope is that of one client and one name': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      await open(client, bench.name).run(async () => {
        assert.equal(open(other, bench.name).holdCount(), 0);
        assert.equal(open(client, `${bench.name}-2`).holdCount(), 0);
        assert.equal(await rival(other, bench.name).tryAcquire(), null, 'another client is another owner');
      });
    },

    'after a run the caller has no owner again': async (bench) => {
      const client = await bench.open();
      const lock = open(client, bench.name);
      await lock.run(() => undefined);
      const hold = await rival(client, bench.name).acquire();
      assert.equal(lock.holdCount(), 0);
      assert.equal(await rival(client, bench.name).tryAcquire(), null);
      await hold.release();
    },

    // Soundness 14
    'work that a run leaves behind is a new owner': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const lock = open(client, bench.name);
      const over = new Deferred();
      let later: Promise<unknown> | undefined;
      await lock.run(() => {
        later = over.promise.then(() => {
          assert.equal(lock.holdCount(), 0);
          return lock.tryAcquire();
        });
      });
      const hold = await rival(other, bench.name).acquire();
      over.resolve();
      assert.equal(await later, null);
      await hold.release();
    },

    'work that an inner run leaves behind is not the outer owner either': async (bench) => {
      const lock = open(await bench.open(), bench.name);
      const over = new Deferred();
      await lock.run(async () => {
        let later: Promise<number> | undefined;
        await lock.run(() => {
          later = over.promise.then(() => lock.holdCount());
        });
        over.resolve();
        assert.equal(await later, 0);
        assert.equal(lock.holdCount(), 1);
      });
    },

    'two runs inside one scope do not overlap': async (bench) => {
      const lock = open(await bench.open(), bench.name);
      const events: string[] = [];
      const branch = (name: string) => async () => {
        events.push(`${name} in`);
        await bench.time.sleep(1);
        await lock.run(() => bench.time.sleep(1));
        events.push(`${name} out`);
      };
      await lock.run(() =>
        Promise.all([lock.run(branch('a')), lock.run(branch('b')), lock.run(branch('c'))]),
      );
      assert.deepEqual(events, ['a in', 'a out', 'b in', 'b out', 'c in', 'c out']);
      assert.equal(await lock.isLocked(), false);
    },

    'a sibling waits no longer than its limit': async (bench) => {
      const lock = open(await bench.open(), bench.name);
      const controller = bench.controller();
      await lock.run(async () => {
        const over = new Deferred();
        const branch = bench.begin(lock.run(() => over.promise));
        const start = bench.time.now();
        assert.equal(await lock.tryAcquire(), null);
        await assertRejects(() => lock.acquire({ timeoutMs: bench.unit }), 'ACQUIRE_TIMEOUT');
        bench.assertElapsed(start, bench.unit);
        const aborted = rejectionOf(() => lock.acquire({ signal: controller.signal }));
        controller.abort('stop');
        assert.equal(await aborted, 'stop');
        bench.assertElapsed(start, bench.unit);
        over.resolve();
        await branch;
        await (await lock.acquire()).release();
      });
    },

    'an error inside a nested run releases everything': async (bench) => {
      const lock = open(await bench.open(), bench.name);
      const error = new Error('deep inside');
      const failing = lock.run(() => lock.run(() => lock.run(() => Promise.reject(error))));
      assert.equal(await rejectionOf(() => failing), error);
      assert.equal(await lock.isLocked(), false);
      assert.equal(lock.holdCount(), 0);
    },
  };
}
