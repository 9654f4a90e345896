import { describe, expect, test } from 'vitest';
import { YIELD_PACE, YieldAfterRun } from '../../src/core/queues/yield-after-run.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';

const LEASE_MS = 30_000;
const { runMs, pauseMs } = YIELD_PACE.polling;

/** One lock of one process, by the clock of the test. */
function oneLock() {
  const clock = new VirtualClock();
  const yielding = new YieldAfterRun(clock, YIELD_PACE.polling);
  const holdFor = async (ms: number, mayBeAwaited = true): Promise<void> => {
    yielding.noteGrant('a', LEASE_MS);
    await clock.sleep(ms);
    yielding.noteRelease('a', mayBeAwaited);
  };
  return { clock, yielding, holdFor, left: () => yielding.pauseMs('a') };
}

describe('a process that takes a lock again and again', () => {
  test('goes on until its run is long enough, then pauses once', async () => {
    const { clock, holdFor, left } = oneLock();
    await clock.run(async () => {
      await holdFor(runMs - 1);
      expect(left()).toBe(0);
      await holdFor(1);
      expect(left()).toBe(pauseMs);
      await clock.sleep(pauseMs);
      expect(left()).toBe(0);
      await holdFor(runMs - 1);
      expect(left(), 'the pause has begun a new run').toBe(0);
    });
  });

  test('does not pause where no other client can wait', async () => {
    const { clock, holdFor, left } = oneLock();
    await clock.run(async () => {
      await holdFor(2 * runMs, false);
      expect(left()).toBe(0);
    });
  });

  test('begins a new run after another client had the lock', async () => {
    const { clock, yielding, holdFor, left } = oneLock();
    await clock.run(async () => {
      await holdFor(runMs - 1);
      yielding.noteBusy('a');
      await holdFor(1);
      expect(left()).toBe(0);
    });
  });

  test('is not made to pause by an owner of its own that finds the lock busy', async () => {
    const { clock, yielding, left } = oneLock();
    await clock.run(async () => {
      yielding.noteGrant('a', LEASE_MS);
      yielding.noteBusy('a');
      yielding.noteRelease('a', true);
      expect(left()).toBe(0);
    });
  });

  test('pauses after a hold that was renewed beyond its first lease', async () => {
    const { clock, yielding, left } = oneLock();
    await clock.run(async () => {
      yielding.noteGrant('a', LEASE_MS);
      await clock.sleep(LEASE_MS);
      yielding.noteBusy('a');
      yielding.noteRelease('a', true);
      expect(left()).toBe(pauseMs);
    });
  });

  test('does not pause for a lease that ran out without a release', async () => {
    const { clock, yielding, left } = oneLock();
    await clock.run(async () => {
      yielding.noteGrant('a', LEASE_MS);
      await clock.sleep(LEASE_MS + 1);
      expect(left()).toBe(0);
    });
  });
});
