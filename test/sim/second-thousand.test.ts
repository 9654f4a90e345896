import { expect, test } from 'vitest';
import { expectGreen } from './expect-green.ts';

test('seeds 1000 to 1999 are green', { timeout: 300_000 }, async () => {
  expect((await expectGreen(1000, 1000)).size).toBeGreaterThan(0);
});
