import { systemClock } from '../core/clock.ts';

/** Waits for something that is not worth waiting for without limit, and whose failure changes nothing. */
export async function endWithin(ending: Promise<void>, ms: number): Promise<void> {
  const late = new Promise<void>((resolve) => systemClock.timer(ms, resolve).keepsAlive(true));
  await Promise.race([ending.catch(() => undefined), late]);
}
