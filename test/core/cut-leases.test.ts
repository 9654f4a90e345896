import { describe, expect, test } from 'vitest';
import { MemoryStore } from '../../src/engines/memory/index.ts';
import type { RenewalOutcome } from '../../src/spi/engine/protocol.ts';
import { protocolTraits } from '../../src/spi/engine/protocol-traits.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';
import { storeEngine } from './store-engine.ts';

const LEASE_MS = 30_000;
const THIRD_MS = LEASE_MS / 3;

/** An engine on whose read locks another program cuts what the holds are promised. */
function cutEngine(clock: VirtualClock) {
  const start = clock.now();
  const looks: { readonly atMs: number; readonly askedMs: number }[] = [];
  const cuts = { toMs: undefined as number | undefined };
  const locks = storeEngine(
    clock,
    new MemoryStore(clock),
    { renewalLeaseMs: LEASE_MS },
    ({ readWriteLock }) => ({
      readWriteLock: {
        ...readWriteLock,
        traits: protocolTraits({ othersCutLeases: true }),
        renewMany: async (renewals) => {
          for (const { ask } of renewals) looks.push({ atMs: clock.now() - start, askedMs: ask.leaseMs });
          const outcomes = await readWriteLock.renewMany(renewals);
          return outcomes.map((outcome): RenewalOutcome =>
            outcome.kind === 'renewed' && cuts.toMs !== undefined
              ? { ...outcome, cutToMs: cuts.toMs }
              : outcome,
          );
        },
      },
    }),
  );
  /** When it was looked, in milliseconds from the first of these looks on. */
  const times = (from: number) => looks.slice(from).map(({ atMs }) => Math.round(atMs - looks[from]!.atMs));
  return { locks, looks, cuts, times };
}

describe('a hold whose time another program cuts in the store', () => {
  test('with a lease of its own it is looked after, and asks for no more than it was promised', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const { locks, looks } = cutEngine(clock);
      const hold = await locks.readWriteLock('book').read.acquire({ leaseMs: 3 * LEASE_MS });
      await clock.sleep(4 * LEASE_MS);
      expect(looks.length, 'every third of the lease of renewed holds, until it ends').toBe(8);
      for (const { atMs, askedMs } of looks) expect(Math.round(askedMs)).toBe(3 * LEASE_MS - atMs);
      expect(hold.lost.aborted, 'it ends when it was to end').toBe(true);
      await locks.close();
    });
  });

  test('the write side, which is alone with its record, is left to end by itself', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const { locks, looks } = cutEngine(clock);
      await locks.readWriteLock('book').write.acquire({ leaseMs: 3 * LEASE_MS });
      await clock.sleep(4 * LEASE_MS);
      expect(looks).toStrictEqual([]);
      await locks.close();
    });
  });

  test('is looked after before what is left can end, for as long as the other program goes on', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const { locks, looks, cuts, times } = cutEngine(clock);
      await locks.readWriteLock('book').read.acquire();
      cuts.toMs = 3000;
      await clock.sleep(THIRD_MS + 3500);
      expect(times(0)).toStrictEqual([0, 1000, 2000, 3000]);
      // The other program is between two renewals, and then it is gone.
      cuts.toMs = undefined;
      const from = looks.length - 1;
      await clock.sleep(50_000);
      expect(times(from)).toStrictEqual([0, 1000, 3000, 7000, 15_000, 25_000, 35_000, 45_000]);
      await locks.close();
    });
  });

  test('is looked after as usual if what is left lasts until then', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const { locks, cuts, times } = cutEngine(clock);
      await locks.readWriteLock('book').read.acquire();
      cuts.toMs = 1.5 * THIRD_MS;
      await clock.sleep(LEASE_MS + 100);
      expect(times(0)).toStrictEqual([0, THIRD_MS, 2 * THIRD_MS]);
      await locks.close();
    });
  });
});
