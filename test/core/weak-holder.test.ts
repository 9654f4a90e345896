import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { memory } from '../../src/engines/memory/index.ts';
import { type Hold, multiLock } from '../../src/index.ts';
import type { Clock } from '../../src/spi/clock.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';
import { heapUsed } from '../fixtures/heap-used.ts';
import { DistantFleet, LEASE_MS } from './distant-fleet.ts';

/** A clock whose test decides which objects are collected, and when. */
class CollectingClock extends VirtualClock implements Clock {
  readonly registered: (() => void)[] = [];

  whenCollected(_target: object, call: () => void): void {
    this.registered.push(call);
  }
}

let warnings: (string | undefined)[] = [];
const keep = (warning: Error & { code?: string }): void => void warnings.push(warning.code);
beforeEach(() => {
  warnings = [];
  process.on('warning', keep);
});
afterEach(() => {
  process.off('warning', keep);
});

/** Node tells of a warning in the next tick. */
function told(): Promise<(string | undefined)[]> {
  return new Promise((resolve) => setImmediate(() => resolve(warnings)));
}

const renewalLeaseMs = 3000;

/** One client on a clock of its own. */
function inMemory(
  body: (clock: CollectingClock, locks: ReturnType<typeof memory>) => Promise<void>,
): Promise<void> {
  const clock = new CollectingClock();
  return clock.run(async () => {
    const locks = memory({ clock, renewalLeaseMs });
    await body(clock, locks);
    await locks.close();
  });
}

describe('a hold whose object is collected', () => {
  test('is registered at its first renewal and not before, once', () =>
    inMemory(async (clock, locks) => {
      const brief = await locks.lock('brief').acquire();
      await clock.sleep(renewalLeaseMs / 3 - 1);
      await brief.release();
      expect(clock.registered.length).toBe(0);
      const hold = await locks.lock('long').acquire();
      await clock.sleep(5 * renewalLeaseMs);
      expect(clock.registered.length).toBe(1);
      await hold.release();
    }));

  test('is registered once, however often it is re-entered between renewals, and found all the same', async () => {
    await inMemory(async (clock, locks) => {
      const owner = locks.owner();
      await locks.lock('a').acquire({ owner });
      for (let time = 0; time < 5; time++) {
        const inner = await locks.lock('a').acquire({ owner });
        await clock.sleep(renewalLeaseMs);
        await inner.release();
      }
      expect(clock.registered.length).toBe(1);
      clock.registered[0]!();
      expect(await locks.lock('a').isLocked()).toBe(false);
    });
    expect(await told()).toStrictEqual(['HOLDFAST_FORGOTTEN']);
  });

  test('is not registered in a run or a section, nor as a permit that has an id', () =>
    inMemory(async (clock, locks) => {
      const forLong = () => clock.sleep(5 * renewalLeaseMs);
      const permit = await locks.permitSemaphore('permits', { permits: 1 }).acquire();
      await Promise.all([
        locks.lock('lock').run(forLong),
        locks.readWriteLock('sides').write.run(forLong),
        locks.semaphore('semaphore', { permits: 1 }).run(forLong),
        locks.monitor('monitor', { initial: 0 }).run(forLong),
        multiLock([locks.lock('one'), locks.lock('other')]).run(forLong),
      ]);
      expect(clock.registered.length).toBe(0);
      await permit.release();
    }));

  test('is registered when the run that it was taken in has ended', () =>
    inMemory(async (clock, locks) => {
      let kept: Hold | undefined;
      await locks.lock('a').run(async () => {
        kept = await locks.lock('a').acquire();
        await clock.sleep(2 * renewalLeaseMs);
      });
      expect(clock.registered.length).toBe(0);
      await clock.sleep(renewalLeaseMs);
      expect(clock.registered.length).toBe(1);
      await kept?.release();
    }));

  test('is released and warned of, once for each lock', async () => {
    await inMemory(async (clock, locks) => {
      for (let time = 0; time < 3; time++) {
        await locks.lock('a').acquire();
        await clock.sleep(renewalLeaseMs);
        clock.registered.at(-1)!();
        expect(await locks.lock('a').isLocked()).toBe(false);
      }
    });
    expect(await told()).toStrictEqual(['HOLDFAST_FORGOTTEN']);
  });

  test('after its release is nothing to warn of', async () => {
    await inMemory(async (clock, locks) => {
      const hold = await locks.lock('a').acquire();
      await clock.sleep(renewalLeaseMs);
      await hold.release();
      const next = await locks.lock('a').acquire();
      clock.registered[0]!();
      next.throwIfLost();
      expect(await locks.lock('a').isLocked()).toBe(true);
    });
    expect(await told()).toStrictEqual([]);
  });

  test('hears of a loss as before, as long as it is there', () =>
    inMemory(async (clock, locks) => {
      const hold = await locks.lock('a').acquire();
      await clock.sleep(renewalLeaseMs);
      await locks.lock('a').forceRelease();
      expect(hold.lost.aborted).toBe(true);
      await hold.release().catch(() => undefined);
    }));

  test('whose signal was read after the renewal hears of a loss, and is not released', async () => {
    await inMemory(async (clock, locks) => {
      const hold = await locks.lock('a').acquire();
      await clock.sleep(renewalLeaseMs);
      const { lost } = hold;
      clock.registered[0]!();
      await clock.sleep(renewalLeaseMs);
      expect(await locks.lock('a').isLocked()).toBe(true);
      await locks.lock('a').forceRelease();
      expect(lost.aborted).toBe(true);
    });
    expect(await told()).toStrictEqual([]);
  });

  test('that was only written to a log is released', async () => {
    await inMemory(async (clock, locks) => {
      JSON.stringify(await locks.lock('a').acquire());
      await clock.sleep(renewalLeaseMs);
      clock.registered[0]!();
      expect(await locks.lock('a').isLocked()).toBe(false);
    });
    expect(await told()).toStrictEqual(['HOLDFAST_FORGOTTEN']);
  });

  // What the program goes on to write with that number is older than what the next holder writes.
  test('whose fence was read is released', async () => {
    await inMemory(async (clock, locks) => {
      const { fence } = await locks.lock('a').acquire();
      await clock.sleep(renewalLeaseMs);
      clock.registered[0]!();
      const next = await locks.lock('a').acquire();
      expect(next.fence).toBeGreaterThan(fence);
    });
    expect(await told()).toStrictEqual(['HOLDFAST_FORGOTTEN']);
  });
});

/** Uses its hold after the renewal, which keeps it alive, and releases it: nothing needs it any more. */
async function usedAndReleased(
  clock: CollectingClock,
  locks: ReturnType<typeof memory>,
): Promise<WeakRef<Hold>> {
  const hold = await locks.lock('a').acquire();
  await clock.sleep(renewalLeaseMs);
  expect(hold.lost.aborted).toBe(false);
  await hold.release();
  return new WeakRef(hold);
}

// The registry has the function until the holder is collected: a holder that is reached through it never is.
test('the registration of a hold does not keep it in memory after its release', async () => {
  const clock = new CollectingClock();
  const locks = memory({ clock, renewalLeaseMs });
  const released: WeakRef<Hold>[] = [];
  await clock.run(async () => void released.push(await usedAndReleased(clock, locks)));
  expect(clock.registered.length).toBe(1);
  await heapUsed();
  expect(released.map((hold) => hold.deref())).toStrictEqual([undefined]);
  await clock.run(() => locks.close());
});

// A fair lock on a distant store hands a grant on inside the process, however old it is. The object of the owner that left
// is collected when the next owner has it.
test('a grant that was handed on is not released for the owner that left', async () => {
  const clock = new CollectingClock();
  await clock.run(async () => {
    await using fleet = new DistantFleet(clock);
    const lock = fleet.lock();
    const [first, second] = [lock.acquire(), lock.acquire()];
    const hold = await first;
    await clock.sleep(LEASE_MS);
    expect(clock.registered.length).toBe(1);
    await hold.release();
    const next = await second;
    clock.registered[0]!();
    await clock.sleep(LEASE_MS);
    next.throwIfLost();
    await next.release();
  });
  // The warning of the second owner, which waits behind the first for a whole lease, and none of a forgotten hold.
  expect(await told()).toStrictEqual(['HOLDFAST_SELF_WAIT']);
});
