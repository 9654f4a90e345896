import assert from 'node:assert/strict';
import { type Factories, LeaseLostError } from '../../../index.ts';
import { lossOf } from './lease-cases.ts';
import { type ExclusiveAdapter, untilFree } from '../../harness/exclusive.ts';
import { type Cases, needing } from '../../suites/suite.ts';

/** Holds that are renewed. */
export function renewalCases<K extends keyof Factories>({ open }: ExclusiveAdapter<K>): Cases<K> {
  return {
    // RedissonReadWriteLockTest.testReadLockExpirationRenewal, RedissonLockExpirationRenewalTest
    'a hold without a lease outlives many of them': async (bench) => {
      const renewalLeaseMs = 2 * bench.unit;
      const [client, other] = [await bench.open({ renewalLeaseMs }), await bench.open()];
      const hold = await open(client, bench.name).acquire();
      for (let third = 0; third < (bench.time.exact ? 60 : 5); third++) {
        await bench.time.sleep(renewalLeaseMs / 3);
        hold.throwIfLost();
        assert.ok(hold.remainingMs > 0);
        assert.equal(await open(other, bench.name).tryAcquire(), null);
      }
      await hold.release();
    },

    'a hold is kept for hours, and a waiter waits for them': needing('exact time', async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const hold = await open(client, bench.name).acquire();
      const start = bench.time.now();
      const waiting = bench.begin(open(other, bench.name).acquire());
      const hours = 2 * 60 * 60 * 1000;
      await bench.time.sleep(hours);
      hold.throwIfLost();
      await hold.release();
      const next = await waiting;
      bench.assertElapsed(start, hours);
      await next.release();
    }),

    // RedissonLockExpirationRenewalTest.testLockReentrantRenew: a hold after many others is renewed as well
    'a hold that follows others is renewed like the first': async (bench) => {
      const renewalLeaseMs = 2 * bench.unit;
      const thing = open(await bench.open({ renewalLeaseMs }), bench.name);
      for (let round = 0; round < 5; round++) await (await thing.acquire()).release();
      const hold = await thing.acquire();
      await bench.time.sleep(1.5 * renewalLeaseMs);
      hold.throwIfLost();
      await hold.release();
    },

    'a lease that was asked for is not renewed': async (bench) => {
      const renewalLeaseMs = bench.unit;
      const thing = open(await bench.open({ renewalLeaseMs }), bench.name);
      const start = bench.time.now();
      const hold = await thing.acquire({ leaseMs: 2 * bench.unit });
      const acquiredAt = bench.time.now();
      await lossOf(hold);
      bench.assertLeaseLasted(start, acquiredAt, 2 * bench.unit);
      await untilFree(bench, thing);
    },

    'maxHoldMs ends the renewal of a forgotten hold': async (bench) => {
      const [renewalLeaseMs, maxHoldMs] = [2 * bench.unit, 2 * bench.unit];
      const client = await bench.open({ renewalLeaseMs, maxHoldMs });
      const start = bench.time.now();
      const hold = await open(client, bench.name).acquire();
      const waiting = bench.begin(open(await bench.open(), bench.name).acquire());
      await lossOf(hold);
      assert.ok(hold.lost.reason instanceof LeaseLostError);
      const next = await waiting;
      assert.ok(bench.time.now() - start >= maxHoldMs);
      // The last renewal is sent at most a third of a lease after `maxHoldMs`, and lasts one lease.
      bench.assertWithin(start, maxHoldMs + (4 / 3) * renewalLeaseMs);
      await next.release();
    },

    'extending a renewed hold does not end its renewal': async (bench) => {
      const renewalLeaseMs = 2 * bench.unit;
      const [client, other] = [await bench.open({ renewalLeaseMs }), await bench.open()];
      const hold = await open(client, bench.name).acquire();
      await bench.time.sleep(bench.unit / 2);
      await hold.extend(2.5 * bench.unit);
      await bench.time.sleep(3.5 * bench.unit);
      hold.throwIfLost();
      assert.equal(await open(other, bench.name).tryAcquire(), null);
      await hold.release();
    },
  };
}
