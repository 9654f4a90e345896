import { systemClock } from '../core/time/clock.ts';

const HOUR_MS = 3_600_000;

/** Keeps the process alive until the answered function is called: neither a signal handler nor a renewal does. */
export function keepAlive(): () => void {
  let timer = systemClock.timer(HOUR_MS, again);
  timer.keepsAlive(true);
  function again(): void {
    timer = systemClock.timer(HOUR_MS, again);
    timer.keepsAlive(true);
  }
  return () => timer.cancel();
}
