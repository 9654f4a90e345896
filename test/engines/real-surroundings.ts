import { systemClock } from '../../src/core/time/clock.ts';
import type { Surroundings } from './memory-harness.ts';
import { slowness } from './slowness.ts';

const asleep = new Int32Array(new SharedArrayBuffer(4));

/** The machine's own time: timers that are late, and time that passes by itself. */
export const realSurroundings: Surroundings = {
  clock: systemClock,
  time: {
    now: () => systemClock.now(),
    sleep: (ms) =>
      new Promise((resolve) => {
        systemClock.timer(ms, resolve).keepsAlive(true);
      }),
    stall: (ms) => void Atomics.wait(asleep, 0, 0, ms),
    exact: false,
    unitMs: 80 * slowness,
  },
  pump: (body) => body(),
};
