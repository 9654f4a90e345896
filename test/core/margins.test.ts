import { expect, test } from 'vitest';
import { safetyMarginMs } from '../../src/core/time/safety-margin.ts';
import { memory } from '../../src/engines/memory/index.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';

const minHoldMs = 60_000;

// The margin of its lease is less than what two clocks that differ by 1 % are apart after a minute.
test.each(['taken', 're-entered'] as const)(
  'a hold that is %s to last is believed with the margin of that time (soundness 6)',
  async (how) => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const locks = memory({ clock, renewalLeaseMs: 3000 });
      const owner = locks.owner();
      if (how === 're-entered') await locks.lock('a').acquire({ owner });
      const hold = await locks.lock('a').acquire({ owner, minHoldMs });
      expect(hold.remainingMs).toBe(minHoldMs - safetyMarginMs(minHoldMs));
      // The keeper has renewed it since, which leaves its end where it was.
      await clock.sleep(15_500);
      const leftAtRenewalMs = minHoldMs - 15_000;
      expect(hold.remainingMs).toBe(leftAtRenewalMs - safetyMarginMs(leftAtRenewalMs) - 500);
      await locks.close();
    });
  },
);
