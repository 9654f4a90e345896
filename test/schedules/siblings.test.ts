import assert from 'node:assert/strict';
import { test } from 'vitest';
import { play } from './stage.ts';

// Three sections run side by side under one hold and take turns. The first blocks the event loop for longer than the
// second would wait, and ends: the second's turn and its time-out come in the same instant.
test('a sibling whose turn comes together with its time-out takes the turn, and passes it on', async () => {
  await play(async (stage) => {
    const lock = stage.near('a').lock('x');
    const ended = await lock.run(() =>
      Promise.all([
        lock.run(async () => {
          await stage.clock.sleep(10);
          stage.clock.stall(100);
        }),
        lock.run(() => 'second', { timeoutMs: 50 }),
        lock.run(() => 'third'),
      ]),
    );
    assert.deepEqual(ended, [undefined, 'second', 'third']);
  });
});
