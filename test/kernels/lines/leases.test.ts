import { expect, test } from 'vitest';
import { LineFleet } from '../../fixtures/lines/line-fleet.ts';

const LEASE_MS = 8000;

// The store of a line keeps no lease, so that no store refuses to shorten one: the client of the hold has to.
test.each(['lock', 'fairLock'] as const)(
  'an extension of a %s by less than remains shortens no lease',
  async (kind) => {
    const fleet = new LineFleet();
    await fleet.run(async () => {
      const { locks } = fleet.open();
      const lock = locks[kind]('a');
      const hold = await lock.acquire({ leaseMs: LEASE_MS });
      const before = hold.remainingMs;
      const start = fleet.clock.now();
      await hold.extend(LEASE_MS / 8);
      const tookMs = fleet.clock.now() - start;
      expect(hold.remainingMs).toBe(before - tookMs);
      expect((await lock.holder())?.remainingMs).toBeGreaterThan(LEASE_MS / 2);
      await hold.release();
    });
  },
);
