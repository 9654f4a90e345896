import { expect, test } from 'vitest';
import { expectGreen } from './expect-green.ts';

// In two files, so that two cores share them.
test(
  'seeds 0 to 999 are green, and storms, losses and refused writes really happened in them',
  { timeout: 300_000 },
  async () => {
    const counts = await expectGreen(0, 1000);
    for (const what of [
      'pause',
      'cut',
      'kill',
      'sections',
      'ended with LEASE_LOST',
      'stale writes refused',
      'put',
      'countDown',
      'passed the barrier',
    ]) {
      expect(counts.get(what) ?? 0, `only ${counts.get(what) ?? 0} times: ${what}`).toBeGreaterThan(50);
    }
  },
);
