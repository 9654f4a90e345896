import assert from 'node:assert/strict';
import { test } from 'vitest';
import { multiLock } from '../../src/index.ts';
import { play } from './stage.ts';

// The store is 60 ms away, so that one question takes longer than a multi-lock waits for somebody else's lock.
test('free locks are had together however far away the store is', async () => {
  await play(async (stage) => {
    const client = stage.far('a', { latencyMs: 60 });
    const since = stage.clock.now();
    const hold = await multiLock([client.lock('x'), client.lock('y')]).acquire();
    assert.ok(stage.clock.now() - since < 2000);
    await hold.release();
  });
});
