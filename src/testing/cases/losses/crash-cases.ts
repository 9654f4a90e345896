import assert from 'node:assert/strict';
import { ignoreOutcome } from '../../harness/ignore-outcome.ts';
import type { Factories } from '../../../index.ts';
import { countsFleet } from '../../harness/bench.ts';
import type { ExclusiveAdapter } from '../../harness/exclusive.ts';
import { type Cases, needing } from '../../suites/suite.ts';

/** Clients that vanish without a message. */
export function crashCases<K extends keyof Factories>(adapter: ExclusiveAdapter<K>): Cases<K> {
  const { open, survivesCrash } = adapter;
  return {
    // Reliability H9; RedissonLockTest.testAutoExpire
    'the crash of a holder frees it, at once or when its lease ends': needing('crash', async (bench) => {
      const leaseMs = 4 * bench.unit;
      const [client, other] = [await bench.open(), await bench.open()];
      const bySession = other.traits.crash === 'session' && survivesCrash !== true;
      const taken = bench.time.now();
      const hold = await open(client, bench.name).acquire({ leaseMs });
      const waiting = bench.begin(open(other, bench.name).acquire());
      await bench.untilWaiting(1, open(other, bench.name));
      await bench.time.sleep(bench.unit);
      const crashed = bench.time.now();
      await bench.crash(client);
      const next = await waiting;
      if (bySession) bench.assertWithin(crashed, 0);
      else bench.assertElapsed(taken, leaseMs);
      assert.ok(next.fence > hold.fence);
      await next.release();
    }),

    'the crash of a renewing holder frees it within its lease': needing('crash', async (bench) => {
      const renewalLeaseMs = 2 * bench.unit;
      const [client, other] = [await bench.open({ renewalLeaseMs }), await bench.open()];
      await open(client, bench.name).acquire();
      await bench.time.sleep(1.5 * renewalLeaseMs);
      await bench.crash(client);
      const start = bench.time.now();
      const next = await open(other, bench.name).acquire();
      bench.assertWithin(start, renewalLeaseMs);
      await next.release();
    }),

    // Reliability W6; RedissonFairLockTest.testFirstThreadDeathTimeoutDrift
    'dead waiters at the head of the line do not block it': needing('crash', async (bench) => {
      const renewalLeaseMs = 4 * bench.unit;
      const holder = await bench.open();
      const dying = [await bench.open({ renewalLeaseMs }), await bench.open({ renewalLeaseMs })];
      const other = await bench.open();
      const hold = await open(holder, bench.name).acquire();
      for (const client of dying) ignoreOutcome(open(client, bench.name).acquire());
      const dead = dying.map((client) => open(client, bench.name));
      await bench.untilWaiting(2, ...dead);
      const waiting = bench.begin(open(other, bench.name).acquire());
      const elsewhere = open(other, bench.name);
      await bench.untilWaiting(countsFleet(other.traits, elsewhere) ? 3 : 1, elsewhere);
      for (const client of dying) await bench.crash(client);
      const start = bench.time.now();
      await hold.release();
      const next = await waiting;
      // The bound is one lease, not one for each dead waiter.
      bench.assertWithin(start, other.traits.crash === 'session' ? 0 : renewalLeaseMs);
      await next.release();
    }),
  };
}
