import { systemClock } from '../core/time/clock.ts';

/** Waits for something that is not worth waiting for without limit, and whose failure changes nothing. */
export function withTimeout(ending: Promise<void>, ms: number): Promise<void> {
  return new Promise<void>((resolve) => {
    const timer = systemClock.timer(ms, resolve);
    timer.keepsAlive(true);
    const end = (): void => {
      timer.cancel();
      resolve();
    };
    ending.then(end, end);
  });
}
