import assert from 'node:assert/strict';
import { type Factories, type Hold, LeaseLostError } from '../../../index.ts';
import { assertCoded, assertRejects } from '../../harness/coded-error.ts';
import { type ExclusiveAdapter, isFree, untilFree } from '../../harness/exclusive.ts';
import type { HarnessTime } from '../../harness/harness.ts';
import { safetyMarginMs } from '../../harness/safety-margin.ts';
import { type Cases, needing } from '../../suites/suite.ts';

/** Resolves when the hold is lost. */
export function lossOf(hold: Pick<Hold, 'lost'>): Promise<void> {
  const { lost } = hold;
  if (lost.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    lost.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * Asserts that the holder knows of its loss, now that another owner holds the lock. On a virtual clock the signal has
 * fired already; on a real one timers may be late, even later than messages over the network, and reading `lost` is the
 * latest moment at which it fires.
 */
export function askWhetherLost({ time }: { readonly time: HarnessTime }, hold: Pick<Hold, 'lost'>): void {
  if (!time.exact) assert.ok(hold.lost.aborted, 'it is lost before the next one is in');
}

/** Leases that end by themselves, and holds that are released or lost. */
export function leaseCases<K extends keyof Factories>({ open }: ExclusiveAdapter<K>): Cases<K> {
  return {
    // RedissonLockTest.testExpire, RedissonReadWriteLockTest.testExpireWrite
    'when a lease ends its holder hears of it first, then the next one is in': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const leaseMs = 2 * bench.unit;
      const events: string[] = [];
      const start = bench.time.now();
      const hold = await open(client, bench.name).acquire({ leaseMs });
      const acquiredAt = bench.time.now();
      hold.lost.addEventListener('abort', () => {
        events.push('lost');
        bench.assertLeaseLasted(start, acquiredAt, leaseMs);
      });
      const waiting = [open(client, bench.name), open(other, bench.name)].map(async (thing) => {
        const next = await thing.acquire();
        askWhetherLost(bench, hold);
        events.push('next');
        bench.assertElapsed(start, leaseMs);
        assert.ok(next.fence > hold.fence);
        await next.release();
      });
      await Promise.all(waiting);
      assert.deepEqual(events, ['lost', 'next', 'next']);
      await assertRejects(() => hold.release(), 'LEASE_LOST');
    },

    'a lost hold says so in every way it can': async (bench) => {
      const client = await bench.open();
      const hold = await open(client, bench.name).acquire({ leaseMs: bench.unit });
      const { fence } = hold;
      assert.ok(hold.remainingMs > 0);
      hold.throwIfLost();
      await lossOf(hold);
      assert.equal(hold.lost.aborted, true);
      assertCoded(hold.lost.reason, 'LEASE_LOST', client.label);
      assert.ok(hold.lost.reason instanceof LeaseLostError);
      assert.equal(hold.lost.reason.reason, 'expired');
      assert.throws(
        () => hold.throwIfLost(),
        (error) => error === hold.lost.reason,
      );
      assert.equal(hold.remainingMs, 0);
      assert.equal(hold.fence, fence);
      await assertRejects(() => hold.extend(5 * bench.unit), 'LEASE_LOST', client.label);
      await untilFree(bench, open(client, bench.name));
    },

    // Reliability H13; RedissonLockTest.testExpire: the old owner's unlock
    'the first release of a lost hold rejects, later ones do nothing': async (bench) => {
      const thing = open(await bench.open(), bench.name);
      const hold = await thing.acquire({ leaseMs: bench.unit });
      const next = await thing.acquire();
      await assertRejects(() => hold.release(), 'LEASE_LOST');
      await hold.release();
      await hold[Symbol.asyncDispose]();
      next.throwIfLost();
      assert.equal(await thing.tryAcquire(), null, 'the next holder was let alone');
      await next.release();
    },

    // Reliability H12, redisson #2665
    'a second release does nothing, also when another owner holds it by then': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const hold = await open(client, bench.name).acquire();
      await Promise.all([hold.release(), hold.release()]);
      const next = await open(other, bench.name).acquire();
      await hold.release();
      await hold[Symbol.asyncDispose]();
      assert.equal(await open(client, bench.name).tryAcquire(), null);
      await next.release();
    },

    'a released hold cannot be used or extended': async (bench) => {
      const client = await bench.open();
      const hold = await open(client, bench.name).acquire();
      await hold.release();
      assert.throws(
        () => hold.throwIfLost(),
        (error) => {
          assertCoded(error, 'NOT_HELD', client.label);
          return true;
        },
      );
      await assertRejects(() => hold.extend(bench.unit), 'NOT_HELD', client.label);
      assert.ok(await isFree(open(client, bench.name)));
    },

    'disposing releases, and does not reject for a loss': async (bench) => {
      const thing = open(await bench.open(), bench.name);
      {
        await using hold = await thing.acquire();
        hold.throwIfLost();
      }
      {
        await using hold = await thing.acquire({ leaseMs: bench.unit });
        await lossOf(hold);
      }
      await (await thing.acquire()).release();
    },

    // Soundness 6, reliability H1 to H4
    'after a stall the holder knows before any timer has run': async (bench) => {
      const thing = open(await bench.open(), bench.name);
      const leaseMs = 2 * bench.unit;
      const holds = [await thing.acquire({ leaseMs })];
      holds.push(await open(await bench.open(), `${bench.name}-2`).acquire({ leaseMs }));
      holds.push(await open(await bench.open(), `${bench.name}-3`).acquire({ leaseMs }));
      bench.stall(leaseMs);
      assert.throws(() => holds[0]!.throwIfLost(), LeaseLostError);
      assert.equal(holds[1]!.lost.aborted, true);
      assert.equal(holds[2]!.remainingMs, 0);
      for (const hold of holds) await assertRejects(() => hold.release(), 'LEASE_LOST');
    },

    'what a release finds after a stall, the signal and the event say too': async (bench) => {
      const client = await bench.open();
      const told: unknown[] = [];
      client.on('lost', ({ error }) => told.push(error));
      const leaseMs = bench.unit;
      const ends = [(hold: Hold) => hold.release(), (hold: Hold) => hold[Symbol.asyncDispose]()];
      for (const [at, end] of ends.entries()) {
        const thing = open(client, `${bench.name}-${at}`);
        const hold = await thing.acquire({ leaseMs });
        const { lost } = hold;
        const before = told.length;
        bench.stall(2 * leaseMs);
        // A store that still has the hold confirms the release, and then nothing was lost.
        const rejected = await end(hold).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (rejected !== undefined) assert.equal(lost.reason, rejected);
        assert.equal(lost.aborted, told.length > before);
        assert.deepEqual(told.slice(before), lost.aborted ? [lost.reason] : []);
      }
    },

    'extending makes at least that much remain': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const hold = await open(client, bench.name).acquire({ leaseMs: 2 * bench.unit });
      await bench.time.sleep(bench.unit / 2);
      const start = bench.time.now();
      const longer = 3 * bench.unit;
      await hold.extend(longer);
      bench.assertAbout(hold.remainingMs, longer - safetyMarginMs(longer));
      const next = await open(other, bench.name).acquire();
      bench.assertElapsed(start, longer);
      assert.equal(hold.lost.aborted, true);
      await next.release();
    },

    // Soundness 4
    'extending never shortens': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const leaseMs = 3 * bench.unit;
      const start = bench.time.now();
      const hold = await open(client, bench.name).acquire({ leaseMs });
      await hold.extend(bench.unit);
      bench.assertAbout(hold.remainingMs, leaseMs - safetyMarginMs(leaseMs));
      const next = await open(other, bench.name).acquire();
      bench.assertElapsed(start, leaseMs);
      await next.release();
    },

    'a lease of hours ends on the millisecond': needing('exact time', async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const leaseMs = 2 * 60 * 60 * 1000;
      const start = bench.time.now();
      const hold = await open(client, bench.name).acquire({ leaseMs });
      const waiting = bench.begin(open(other, bench.name).acquire());
      await lossOf(hold);
      bench.assertElapsed(start, leaseMs - safetyMarginMs(leaseMs));
      const next = await waiting;
      bench.assertElapsed(start, leaseMs);
      await next.release();
    }),
  };
}
