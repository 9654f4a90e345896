import assert from 'node:assert/strict';
import type { Factories } from '../../../index.ts';
import { assertRejects } from '../../harness/coded-error.ts';
import { Deferred } from '../../harness/deferred.ts';
import type { Cases } from '../../suites/suite.ts';
import { lossOf } from '../losses/lease-cases.ts';
import { safetyMarginMs } from '../../harness/safety-margin.ts';
import type { LockAdapter } from './reentrant-cases.ts';

/** The lease that the holds of one owner share, and its loss. */
export function nestedLeaseCases<K extends keyof Factories>({ open, rival }: LockAdapter<K>): Cases<K> {
  return {
    // RedissonReadWriteLockTest.testWriteLockExpiration, RedissonLockTest.testRemainTimeToLive2
    'an inner lease never shortens the outer one': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const lock = open(client, bench.name);
      const leaseMs = 3 * bench.unit;
      const start = bench.time.now();
      await lock
        .run(
          async (outer) => {
            await lock.run(() => undefined, { leaseMs: bench.unit });
            bench.assertAbout(outer.remainingMs, leaseMs - safetyMarginMs(leaseMs));
            const next = await rival(other, bench.name).acquire();
            bench.assertElapsed(start, leaseMs);
            await next.release();
          },
          { leaseMs },
        )
        .catch(() => undefined);
    },

    'an inner lease that is longer lengthens the outer one': async (bench) => {
      const lock = open(await bench.open(), bench.name);
      const longer = 5 * bench.unit;
      await lock.run(
        async (outer) => {
          const inner = await lock.acquire({ leaseMs: longer });
          bench.assertAbout(outer.remainingMs, longer - safetyMarginMs(longer));
          await inner.release();
          bench.assertAbout(outer.remainingMs, longer - safetyMarginMs(longer));
        },
        { leaseMs: 2 * bench.unit },
      );
    },

    'an inner hold without a lease renews the outer one': async (bench) => {
      const lock = open(await bench.open({ renewalLeaseMs: 2 * bench.unit }), bench.name);
      await lock.run(
        async (outer) => {
          const inner = await lock.acquire();
          await bench.time.sleep(3 * bench.unit);
          outer.throwIfLost();
          await inner.release();
        },
        { leaseMs: bench.unit },
      );
    },

    'a loss is reported to every hold of its owner': async (bench) => {
      const client = await bench.open();
      const lock = open(client, bench.name);
      await assertRejects(
        () =>
          lock.run(
            async (outer) => {
              const inner = await lock.acquire({ leaseMs: bench.unit });
              await Promise.all([lossOf(outer), lossOf(inner)]);
              assert.equal(outer.lost.reason, inner.lost.reason);
              await assertRejects(() => inner.release(), 'LEASE_LOST', client.label);
              await assertRejects(() => lock.acquire(), 'LEASE_LOST', client.label);
            },
            { leaseMs: bench.unit },
          ),
        'LEASE_LOST',
        client.label,
      );
    },

    'siblings of a lost hold hear of the loss': async (bench) => {
      const client = await bench.open();
      const lock = open(client, bench.name);
      const waitLimit = { timeoutMs: 3 * bench.unit };
      await assertRejects(
        () =>
          lock.run(
            async (outer) => {
              const over = new Deferred();
              const branch = assertRejects(
                () => lock.run(() => over.promise, { leaseMs: bench.unit }),
                'LEASE_LOST',
                client.label,
              );
              void bench.begin(branch);
              const sibling = bench.begin(
                assertRejects(() => lock.acquire(waitLimit), 'LEASE_LOST', client.label),
              );
              await lossOf(outer);
              await assertRejects(() => lock.acquire(waitLimit), 'LEASE_LOST', client.label);
              await sibling;
              over.resolve();
              await branch;
            },
            { leaseMs: bench.unit },
          ),
        'LEASE_LOST',
        client.label,
      );
    },
  };
}
