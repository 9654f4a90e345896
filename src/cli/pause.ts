import { systemClock } from '../core/time/clock.ts';

/** Pauses, and keeps the process alive. `signal` ends the pause early. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = systemClock.timer(ms, end);
    timer.keepsAlive(true);
    if (signal?.aborted === true) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}
