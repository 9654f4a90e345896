import assert from 'node:assert/strict';
import { test } from 'vitest';
import { expectGreen } from './expect-green.ts';

test('seeds 1000 to 1999 are green', { timeout: 300_000 }, async () => {
  assert.ok((await expectGreen(1000, 1000)).size > 0);
});
