import assert from 'node:assert/strict';
import { type Factories, NotHeldError, type Owner } from '../../../index.ts';
import { BAD_EXTENSIONS } from '../arguments/bad-arguments.ts';
import {
  type BadArgument,
  assertRejects,
  assertRejectsArgument,
  assertThrowsArgument,
  rejectionOf,
} from '../../harness/coded-error.ts';
import { lossOf } from '../losses/lease-cases.ts';
import type { LockAdapter } from './reentrant-cases.ts';
import type { Cases } from '../../suites/suite.ts';

/** Explicit owners, passed by hand. */
export function ownerCases<K extends keyof Factories>({ open, rival }: LockAdapter<K>): Cases<K> {
  return {
    // RedissonLockTest.testGetHoldCount, testIsHeldByCurrentThread; RedissonLockReactiveTest (explicit ids)
    'an explicit owner holds again what it holds': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const lock = open(client, bench.name);
      const owner = client.owner('worker');
      assert.equal(owner.label, 'worker');
      const counts = [lock.holdCount(owner)];
      const first = await lock.acquire({ owner });
      counts.push(lock.holdCount(owner));
      const second = await lock.acquire({ owner });
      counts.push(lock.holdCount(owner));
      assert.equal(second.fence, first.fence);
      await lock.release(owner);
      counts.push(lock.holdCount(owner));
      assert.equal(await rival(other, bench.name).tryAcquire(), null, 'one hold is left');
      await lock.release(owner);
      counts.push(lock.holdCount(owner));
      assert.deepEqual(counts, [0, 1, 2, 1, 0]);
      assert.equal(await lock.isLocked(), false);
    },

    'two owners exclude each other, also those of one client': async (bench) => {
      const client = await bench.open();
      const [one, two] = [client.owner(), client.owner()];
      const hold = await open(client, bench.name).acquire({ owner: one });
      assert.equal(await rival(client, bench.name).tryAcquire({ owner: two }), null);
      assert.equal(await rival(client, bench.name).tryAcquire(), null);
      await hold.release();
    },

    'run as an owner is re-entrant with its other holds': async (bench) => {
      const client = await bench.open();
      const lock = open(client, bench.name);
      const owner = client.owner();
      const hold = await lock.acquire({ owner });
      await lock.run(
        async (inner) => {
          assert.equal(inner.fence, hold.fence);
          assert.equal(lock.holdCount(owner), 2);
          await lock.run(() => assert.equal(lock.holdCount(owner), 3));
        },
        { owner },
      );
      assert.equal(lock.holdCount(owner), 1);
      await hold.release();
    },

    // RedissonLockTest.testUnlockFail
    'release and extend by an owner that holds nothing are NotHeldError': async (bench) => {
      const client = await bench.open();
      const lock = open(client, bench.name);
      const [holding, other] = [client.owner('holding'), client.owner('other')];
      const hold = await lock.acquire({ owner: holding });
      const error = await assertRejects(() => lock.release(other), 'NOT_HELD', client.label);
      assert.ok(error instanceof NotHeldError);
      assert.match(error.message, /"other"/);
      await assertRejects(() => lock.extend(other, bench.unit), 'NOT_HELD', client.label);
      hold.throwIfLost();
      await lock.release(holding);
      await assertRejects(() => lock.release(holding), 'NOT_HELD', client.label);
    },

    'an owner extends what it holds': async (bench) => {
      const client = await bench.open();
      const lock = open(client, bench.name);
      const owner = client.owner();
      const hold = await lock.acquire({ owner, leaseMs: bench.unit });
      await lock.extend(owner, 5 * bench.unit);
      assert.ok(hold.remainingMs > 4 * bench.unit);
      await lock.release(owner);
    },

    'two acquisitions of one owner at the same time are two holds of one grant': async (bench) => {
      const client = await bench.open();
      const lock = open(client, bench.name);
      const owner = client.owner();
      const [one, two] = await Promise.all([lock.acquire({ owner }), lock.acquire({ owner })]);
      assert.equal(one.fence, two.fence);
      assert.equal(lock.holdCount(owner), 2);
      await Promise.all([one.release(), two.release()]);
      assert.equal(await lock.isLocked(), false);
    },

    'an acquisition behind another of its owner waits no longer than its limit': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const hold = await rival(other, bench.name).acquire();
      const lock = open(client, bench.name);
      const owner = client.owner();
      const start = bench.time.now();
      const first = bench.begin(lock.acquire({ owner }));
      const second = bench.begin(
        assertRejects(() => lock.acquire({ owner, timeoutMs: bench.unit }), 'ACQUIRE_TIMEOUT'),
      );
      // If the second fails in another way, the case ends before it awaits the first.
      first.catch(() => undefined);
      await Promise.race([second, bench.time.sleep(2 * bench.unit)]);
      await hold.release();
      await (await first).release();
      await second;
      assert.ok(bench.time.now() - start >= bench.unit);
      bench.assertWithin(start, bench.unit);
    },

    'an acquisition behind another of its owner hears an abort': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const hold = await rival(other, bench.name).acquire();
      const lock = open(client, bench.name);
      const owner = client.owner();
      const controller = bench.controller();
      const first = lock.acquire({ owner, timeoutMs: 2 * bench.unit }).catch(() => undefined);
      const second = rejectionOf(() => lock.acquire({ owner, signal: controller.signal }));
      const start = bench.time.now();
      controller.abort('stop');
      assert.equal(await second, 'stop');
      bench.assertWithin(start, 0);
      await first;
      await hold.release();
    },

    'an owner that lost its hold can have a new one once it gave the old one back': async (bench) => {
      const client = await bench.open();
      const lock = open(client, bench.name);
      const owner = client.owner();
      const hold = await lock.acquire({ owner, leaseMs: bench.unit });
      await lossOf(hold);
      await assertRejects(() => lock.acquire({ owner }), 'LEASE_LOST', client.label);
      await assertRejects(() => lock.release(owner), 'LEASE_LOST', client.label);
      const again = await lock.acquire({ owner });
      assert.ok(again.fence > hold.fence);
      await again.release();
    },

    'an owner that is not of this client is refused': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const lock = open(client, bench.name);
      const bad: BadArgument<Owner>[] = [
        {
          given: other.owner(),
          error: TypeError,
          names: /owner must come from owner\(\) of the same engine object/,
        },
        { given: { label: 'me' }, error: TypeError, names: /owner must come from owner\(\)/ },
        {
          given: 'me' as unknown as Owner,
          error: TypeError,
          names: /owner must come from owner\(\).*not "me"/,
        },
        {
          given: null as unknown as Owner,
          error: TypeError,
          names: /owner must come from owner\(\).*not null/,
        },
      ];
      for (const one of bad) {
        await assertRejectsArgument(one, () => lock.acquire({ owner: one.given }));
        await assertRejectsArgument(one, () => lock.tryAcquire({ owner: one.given }));
        await assertRejectsArgument(one, () => lock.run(() => undefined, { owner: one.given }));
        await assertRejectsArgument(one, () => lock.release(one.given));
        await assertRejectsArgument(one, () => lock.extend(one.given, bench.unit));
        assertThrowsArgument(one, () => lock.holdCount(one.given));
      }
      assert.equal(await lock.isLocked(), false);
    },

    'a bad extension by an owner is refused': async (bench) => {
      const client = await bench.open();
      const lock = open(client, bench.name);
      const owner = client.owner();
      const hold = await lock.acquire({ owner });
      for (const bad of BAD_EXTENSIONS)
        await assertRejectsArgument(bad, () => lock.extend(owner, bad.given as number));
      await hold.release();
    },
  };
}
