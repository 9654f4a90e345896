import assert from 'node:assert/strict';
import { assertIncreasing } from '../cases/acquiring/contention-cases.ts';
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
import type { Synchronizers } from '../../index.ts';

const open = (client: Synchronizers<'lock'>, name: string) => client.lock(name);
const adapter = { open, rival: open, crowd: 1000 };

const turnstileCases: Cases<'lock'> = {
  'local waiters get it one after the other, each with a fence of its own': async (bench) => {
    const lock = open(await bench.open(), bench.name);
    const fences: bigint[] = [];
    const order: number[] = [];
    const hold = await lock.acquire();
    const waiting = Array.from({ length: 100 }, async (_, at) => {
      const next = await lock.acquire();
      order.push(at);
      fences.push(next.fence);
      await next.release();
    });
    void bench.begin(waiting);
    await hold.release();
    await Promise.all(waiting);
    assertIncreasing([hold.fence, ...fences]);
    assert.deepEqual(
      order,
      order.toSorted((one, other) => one - other),
      'in the order of asking',
    );
  },

  'a hold that was handed over is renewed and lost like any other': async (bench) => {
    const renewalLeaseMs = 2 * bench.unit;
    const [client, other] = [await bench.open({ renewalLeaseMs }), await bench.open()];
    const lock = open(client, bench.name);
    const first = await lock.acquire();
    const second = bench.begin(lock.acquire());
    await first.release();
    const hold = await second;
    await bench.time.sleep(1.5 * renewalLeaseMs);
    hold.throwIfLost();
    assert.equal(await open(other, bench.name).tryAcquire(), null);
    assert.equal(await open(other, bench.name).forceRelease(), true);
    await bench.until(() => hold.lost.aborted);
    assert.equal(first.lost.aborted, false, 'the first had given it back');
  },

  // Soundness 15
  'a waiter of another client acquires while twenty local ones hammer': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const lock = open(client, bench.name);
    let hammering = true;
    let grants = 0;
    const hammers = Array.from({ length: 20 }, async () => {
      while (hammering) {
        await lock.run(() => bench.time.sleep(1));
        grants++;
      }
    });
    void bench.begin(hammers);
    await bench.until(() => grants > 50);
    for (let round = 0; round < 5; round++) {
      const start = bench.time.now();
      const hold = await open(other, bench.name).acquire({ timeoutMs: 20 * bench.unit });
      // The run of local hand-overs ends after 50 ms, and then the client yields to others.
      bench.assertWithin(start, 60);
      await hold.release();
    }
    hammering = false;
    await Promise.all(hammers);
  },

  'a local waiter with a lease of its own gets that lease': async (bench) => {
    const client = await bench.open();
    const lock = open(client, bench.name);
    const hold = await lock.acquire();
    const waiting = bench.begin(lock.acquire({ leaseMs: bench.unit }));
    await hold.release();
    const start = bench.time.now();
    const leased = await waiting;
    assert.ok(leased.remainingMs <= bench.unit);
    const next = await lock.acquire();
    bench.assertElapsed(start, bench.unit);
    assert.equal(leased.lost.aborted, true);
    await next.release();
  },

  'waiters behind a lost hold acquire': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const lock = open(client, bench.name);
    const hold = await lock.acquire({ leaseMs: bench.unit });
    const waiting = [lock, lock, open(other, bench.name)].map(async (one) => (await one.acquire()).release());
    await Promise.all(waiting);
    assert.equal(hold.lost.aborted, true);
  },
};

/** The plain lock. */
export const lockSuite = suiteOf<'lock'>(
  'lock',
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
  turnstileCases,
);
