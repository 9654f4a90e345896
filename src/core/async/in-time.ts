import type { Clock } from '../../spi/clock.ts';

/** Nothing came in time. What was asked for may still happen. */
export class NoAnswerError extends Error {
  /** What was left of a limit has fractions, and is below zero where the process came too late to its timer. */
  constructor(timeoutMs: number) {
    super(`no answer within ${Math.max(0, Math.round(timeoutMs))} ms`);
    this.name = 'NoAnswerError';
  }
}

/**
 * The outcome of a step on the wire, if it comes in time. No driver is trusted to settle every promise it gives. `begun` gets
 * a function that gives it up before.
 */
export function inTime<T>(
  clock: Clock,
  step: Promise<T>,
  timeoutMs: number,
  keepsAlive = true,
  begun?: (giveUp: () => void) => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = clock.timer(timeoutMs, () => reject(new NoAnswerError(timeoutMs)));
    if (keepsAlive) timer.keepsAlive(true);
    begun?.(() => {
      timer.cancel();
      reject(new NoAnswerError(timeoutMs));
    });
    const settle = (): void => timer.cancel();
    step.then(settle, settle);
    step.then(resolve, reject);
  });
}
