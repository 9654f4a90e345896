import type { Hold } from '../../../src/index.ts';

/** The error that a hold aborts with when it is lost, and when that was. */
export function lossOf({ lost }: Hold): Promise<{ readonly reason: unknown; readonly atMs: number }> {
  return new Promise((resolve) => {
    const told = (): void => resolve({ reason: lost.reason, atMs: performance.now() });
    if (lost.aborted) told();
    else lost.addEventListener('abort', told, { once: true });
  });
}
