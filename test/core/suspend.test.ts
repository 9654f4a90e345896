import { expect, test } from 'vitest';
import { suspendAwareStopwatch } from '../../src/core/time/clock.ts';
import { findUptime } from '../../src/core/time/system-uptime.ts';

/** A machine: awake time, time since it was started, and a time of day that can be set. */
function machine({ countsMs = 10, stepMs = 20, begunMs = 0 } = {}) {
  let awakeMs = 1000 + begunMs;
  let asleepMs = 0;
  let setMs = 0;
  let asked = 0;
  let pauseMs = { before: 0, after: 0 };
  return {
    stopwatch: suspendAwareStopwatch({
      stopwatchMs: () => awakeMs,
      timeOfDayMs: () => 1e12 + awakeMs + asleepMs + setMs,
      uptimeMs: () => {
        asked++;
        awakeMs += pauseMs.before;
        // Counted in steps of 10 ms, as most systems do.
        const upMs = Math.floor((50_000 + awakeMs + asleepMs) / countsMs) * countsMs;
        awakeMs += pauseMs.after;
        pauseMs = { before: 0, after: 0 };
        return upMs;
      },
      stepMs,
    }),
    works: (ms: number) => void (awakeMs += ms),
    sleeps: (ms: number) => void (asleepMs += ms),
    setsTime: (ms: number) => void (setMs += ms),
    /** Another program has the processor for so long before or after the next reading of the uptime. */
    pauses: (when: 'before' | 'after', ms: number) => void (pauseMs = { ...pauseMs, [when]: ms }),
    get asked() {
      return asked;
    },
  };
}

test('time that the machine was suspended counts (soundness 6)', () => {
  const { stopwatch, works, sleeps } = machine();
  const start = stopwatch();
  works(100);
  expect(stopwatch() - start).toBe(100);
  sleeps(60_000);
  works(20);
  const passed = stopwatch() - start;
  expect(passed >= 60_100 && passed <= 60_130, `${passed} ms`).toBeTruthy();
});

test('the steps of the uptime are not taken for suspends, and time never goes back', () => {
  const { stopwatch, works } = machine();
  const start = stopwatch();
  let last = start;
  for (let passed = 0; passed < 5000; passed += 7) {
    works(7);
    const now = stopwatch();
    expect(now > last).toBeTruthy();
    last = now;
  }
  expect(last - start <= 5010, `${last - start} ms`).toBeTruthy();
});

test('an uptime in whole seconds: no second that begins is taken for a suspend, and a longer suspend counts', () => {
  for (const begunMs of [0, 1, 500, 999]) {
    const { stopwatch, works, sleeps } = machine({ countsMs: 1000, stepMs: 1020, begunMs });
    const start = stopwatch();
    for (let passed = 0; passed < 5000; passed += 7) {
      works(7);
      stopwatch();
    }
    expect(stopwatch() - start).toBeLessThan(5010);
    sleeps(60_000);
    works(200);
    expect(stopwatch() - start).toBeGreaterThan(64_000);
  }
});

test('the uptime of this machine is counted finely', () => {
  const { uptimeMs, stepMs } = findUptime();
  expect(uptimeMs()).toBeGreaterThan(0);
  expect(stepMs).toBe(process.platform === 'darwin' ? 1020 : 20);
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
  expect(passed >= 3500 - 30, `${passed} ms`).toBeTruthy();
});

test('a time of day that is set back while the machine sleeps does not hide the sleep for long', () => {
  const { stopwatch, works, sleeps, setsTime } = machine();
  const start = stopwatch();
  sleeps(60_000);
  setsTime(-60_000);
  works(120);
  expect(stopwatch() - start >= 60_100).toBeTruthy();
});

test.each(['before', 'after'] as const)(
  'a pause %s the uptime is read is not taken for a suspend, and hides none for long',
  (when) => {
    const { stopwatch, works, sleeps, pauses } = machine();
    const start = stopwatch();
    works(150);
    pauses(when, 66);
    stopwatch();
    works(150);
    expect(stopwatch() - start).toBe(366);
    sleeps(60);
    works(10);
    pauses(when, 66);
    stopwatch();
    works(10);
    const passed = stopwatch() - start;
    expect(passed >= 366 + 60 + 10 + 66 + 10 - 20, `${passed} ms`).toBeTruthy();
  },
);

test('a time of day that is set is not taken for a suspend', () => {
  const { stopwatch, works, setsTime } = machine();
  const start = stopwatch();
  for (const ms of [3_600_000, -7_200_000]) {
    setsTime(ms);
    works(20);
    stopwatch();
  }
  expect(stopwatch() - start).toBe(40);
});

test('the uptime is asked for now and then, not at every look', () => {
  const timepieces = machine();
  const before = timepieces.asked;
  for (let ms = 0; ms < 10_000; ms++) {
    timepieces.works(1);
    timepieces.stopwatch();
  }
  expect(timepieces.asked - before <= 101, `${timepieces.asked - before} times`).toBeTruthy();
});
