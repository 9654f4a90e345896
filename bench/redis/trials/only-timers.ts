import { setTimeout as sleep } from 'node:timers/promises';
import type { TrialContestant } from '../../trial.ts';

/** Work without a lock, one piece after the other: no lock can have more sections than this. */
export function onlyTimers(insideMs: number): TrialContestant {
  return {
    name: `a timer of ${insideMs} ms after the other, and no lock`,
    open: async () => ({
      round: async (roundMs) => {
        const start = performance.now();
        let sections = 0;
        for (; performance.now() - start < roundMs; sections += 1) await sleep(insideMs);
        return { 'sections/s': (sections / (performance.now() - start)) * 1000 };
      },
      close: async () => undefined,
    }),
  };
}
