import assert from 'node:assert/strict';
import { test } from 'vitest';
import { suspendAwareStopwatch } from '../../src/core/clock.ts';

/** A machine: awake time, and time since it was started. */
function machine() {
  let awakeMs = 1000;
  let asleepMs = 0;
  return {
    stopwatch: suspendAwareStopwatch(
      () => awakeMs,
      // Counted in steps of 10 ms, as the system does.
      () => Math.floor((50_000 + awakeMs + asleepMs) / 10) * 10,
    ),
    works: (ms: number) => void (awakeMs += ms),
    sleeps: (ms: number) => void (asleepMs += ms),
  };
}

test('time that the machine was suspended counts (soundness 6)', () => {
  const { stopwatch, works, sleeps } = machine();
  const start = stopwatch();
  works(100);
  assert.equal(stopwatch() - start, 100);
  sleeps(60_000);
  works(20);
  const passed = stopwatch() - start;
  assert.ok(passed >= 60_100 && passed <= 60_130, `${passed} ms`);
});

test('the steps of the uptime are not taken for suspends, and time never goes back', () => {
  const { stopwatch, works } = machine();
  const start = stopwatch();
  let last = start;
  for (let passed = 0; passed < 5000; passed += 7) {
    works(7);
    const now = stopwatch();
    assert.ok(now > last);
    last = now;
  }
  assert.ok(last - start <= 5010, `${last - start} ms`);
});

test('many short suspends add up', () => {
  const { stopwatch, works, sleeps } = machine();
  const start = stopwatch();
  for (let nap = 0; nap < 100; nap++) {
    works(20);
    sleeps(15);
  }
  works(20);
  const passed = stopwatch() - start;
  assert.ok(passed >= 3500 - 30, `${passed} ms`);
});
