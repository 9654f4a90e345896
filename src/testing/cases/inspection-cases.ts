import assert from 'node:assert/strict';
import { type Factories, LeaseLostError } from '../../index.ts';
import { type BadArgument, assertRejects, assertRejectsArgument } from '../harness/coded-error.ts';
import { lossOf } from './losses/lease-cases.ts';
import type { LockAdapter } from './reentry/reentrant-cases.ts';
import type { Cases } from '../suites/suite.ts';

const BAD_FENCES: readonly BadArgument[] = [
  { given: { fence: 5 }, error: TypeError, names: /fence must be a bigint, not 5/ },
  { given: { fence: '5' }, error: TypeError, names: /fence must be a bigint, not "5"/ },
  { given: { fence: NaN }, error: TypeError, names: /fence must be a bigint, not NaN/ },
  { given: { fence: null }, error: TypeError, names: /fence must be a bigint, not null/ },
  { given: { token: 5n }, error: TypeError, names: /no option "token"; known are fence/ },
  { given: 5n, error: TypeError, names: /options must be an object/ },
];

/** Queries, and forced releases. */
export function inspectionCases<K extends keyof Factories>({ open, rival }: LockAdapter<K>): Cases<K> {
  return {
    // RedissonLockTest.testIsLocked, testIsLockedOtherThread, testRemainTimeToLive
    'queries tell what any client can see': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const [lock, elsewhere] = [open(client, bench.name), open(other, bench.name)];
      assert.equal(lock.name, bench.name);
      assert.equal(lock.engine, client.label);
      assert.deepEqual(
        [await elsewhere.isLocked(), await elsewhere.holder(), await elsewhere.remainingMs()],
        [false, null, 0],
      );
      const leaseMs = 10 * bench.unit;
      const hold = await lock.acquire({ leaseMs });
      assert.equal(await elsewhere.isLocked(), true);
      bench.assertAbout(await elsewhere.remainingMs(), leaseMs);
      const holder = await elsewhere.holder();
      assert.equal(holder?.fence, hold.fence);
      assert.ok(holder.owner.length > 0);
      bench.assertAbout(holder.remainingMs, leaseMs);
      await bench.time.sleep(bench.unit);
      bench.assertAbout(await elsewhere.remainingMs(), leaseMs - bench.unit);
      await hold.release();
      assert.deepEqual(
        [await elsewhere.isLocked(), await elsewhere.holder(), await elsewhere.remainingMs()],
        [false, null, 0],
      );
    },

    // Soundness 1
    'each acquisition has an owner id of its own': async (bench) => {
      const lock = open(await bench.open(), bench.name);
      const owners = new Set<string>();
      for (let round = 0; round < 5; round++) {
        const hold = await lock.acquire();
        owners.add((await lock.holder())!.owner);
        await hold.release();
      }
      assert.equal(owners.size, 5);
    },

    // RedissonLockTest.testForceUnlock, RedissonReadWriteLockTest.testWriteLock
    'after a forced release the next waiter acquires': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const lock = open(client, bench.name);
      assert.equal(await lock.forceRelease(), false, 'the lock is free');
      const hold = await lock.acquire();
      const waiting = bench.begin(rival(other, bench.name).acquire());
      await bench.untilWaiting(1, rival(other, bench.name));
      const start = bench.time.now();
      assert.equal(await open(other, bench.name).forceRelease(), true);
      const next = await waiting;
      bench.assertWithin(start, 0);
      assert.ok(next.fence > hold.fence);
      await assertRejects(() => hold.release(), 'LEASE_LOST', client.label);
      next.throwIfLost();
      await next.release();
    },

    // Reliability H7
    'the holder hears of a forced release at its next renewal': async (bench) => {
      const renewalLeaseMs = 3 * bench.unit;
      const [client, other] = [await bench.open({ renewalLeaseMs }), await bench.open()];
      const hold = await open(client, bench.name).acquire();
      const start = bench.time.now();
      assert.equal(await open(other, bench.name).forceRelease(), true);
      await lossOf(hold);
      bench.assertWithin(start, renewalLeaseMs / 3);
      assert.ok(hold.lost.reason instanceof LeaseLostError);
      assert.equal(hold.lost.reason.reason, 'gone');
      assert.throws(() => hold.throwIfLost(), LeaseLostError);
      await assertRejects(() => hold.release(), 'LEASE_LOST', client.label);
      await hold.release();
    },

    'a forced release that only the release or the disposal finds is reported by the signal and the event':
      async (bench) => {
        const [client, other] = [await bench.open(), await bench.open()];
        const told: unknown[] = [];
        client.on('lost', ({ error }) => told.push(error));
        // Each has a name of its own: a local waiter behind a broken hold acquires at that hold's next renewal.
        const forced = async (suffix: string) => {
          const name = `${bench.name}-${suffix}`;
          const hold = await open(client, name).acquire();
          assert.equal(await open(other, name).forceRelease(), true);
          return hold;
        };
        const [early, late, disposed] = [await forced('1'), await forced('2'), await forced('3')];
        const saved = early.lost;
        await assertRejects(() => early.release(), 'LEASE_LOST', client.label);
        await assertRejects(() => late.release(), 'LEASE_LOST', client.label);
        await disposed[Symbol.asyncDispose]();
        const signals = [saved, early.lost, late.lost, disposed.lost];
        assert.deepEqual(
          signals.map(({ aborted, reason }) => [aborted, reason instanceof LeaseLostError && reason.reason]),
          signals.map(() => [true, 'gone']),
        );
        assert.deepEqual(told, [early.lost.reason, late.lost.reason, disposed.lost.reason]);
      },

    'a hold that is not renewed learns of a forced release when it is extended': async (bench) => {
      const client = await bench.open();
      const lock = open(client, bench.name);
      const hold = await lock.acquire({ leaseMs: 5 * bench.unit });
      await lock.forceRelease();
      await assertRejects(() => hold.extend(5 * bench.unit), 'LEASE_LOST', client.label);
      assert.equal(hold.lost.aborted, true);
      assert.equal(await lock.isLocked(), false, 'the extension brought nothing back');
    },

    'a forced release with a fence takes away that very grant or nothing': async (bench) => {
      const client = await bench.open();
      const lock = open(client, bench.name);
      const first = await lock.acquire();
      await first.release();
      const second = await lock.acquire();
      assert.equal(await lock.forceRelease({ fence: first.fence }), false);
      assert.equal(await lock.forceRelease({ fence: second.fence + 1n }), false);
      assert.equal(await lock.isLocked(), true);
      assert.equal(await lock.forceRelease({ fence: second.fence }), true);
      assert.equal(await lock.isLocked(), false);
      assert.equal(await lock.forceRelease({ fence: second.fence }), false);
    },

    'a bad fence is refused, and nothing is taken away': async (bench) => {
      const lock = open(await bench.open(), bench.name);
      const hold = await lock.acquire();
      for (const bad of BAD_FENCES) {
        await assertRejectsArgument(bad, () => lock.forceRelease(bad.given as { fence: bigint }));
      }
      assert.equal(await lock.isLocked(), true);
      await hold.release();
    },

    'queries on a closed client reject': async (bench) => {
      const client = await bench.open();
      const lock = open(client, bench.name);
      await client.close();
      for (const ask of [
        () => lock.isLocked(),
        () => lock.holder(),
        () => lock.remainingMs(),
        () => lock.waiters(),
        () => lock.forceRelease(),
      ]) {
        await assertRejects(ask, 'CLOSED', client.label);
      }
    },
  };
}
