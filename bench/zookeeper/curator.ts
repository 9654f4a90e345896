import { Jvm } from '../jvm.ts';
import { evenness, sumOf } from '../shares.ts';
import type { Figures, TrialContestant } from '../trial.ts';

export const CURATOR = 'Curator InterProcessMutex (Java)';

/** What Curator asks for when nothing is set. */
const SESSION_MS = 60_000;

/** What one round of Curator came to. */
export interface CuratorRound {
  /** Those whose thread entered before the time of the round was over. */
  readonly sections: number;
  readonly roundMs: number;
  /** Until the last thread had released: a round ends with the section that is under way. */
  readonly elapsedMs: number;
  readonly unevenness: number;
}

/** Curator itself: so many threads of one Java program that want one mutex again as soon as they have released it. */
export function curatorContestant(
  threads: number,
  figuresOf: (round: CuratorRound) => Figures,
): TrialContestant {
  return {
    name: CURATOR,
    open: async (port) => {
      const jvm = await Jvm.start('curator-5-9', [{ servers: `127.0.0.1:${port}`, sessionMs: SESSION_MS }]);
      return {
        round: async (roundMs) => {
          const start = performance.now();
          const counts = await jvm.ask<number[]>({
            task: 'pairs',
            name: '/curator/mutex',
            threads,
            forMs: roundMs,
          });
          const elapsedMs = performance.now() - start;
          return figuresOf({ sections: sumOf(counts), roundMs, elapsedMs, unevenness: evenness(counts) });
        },
        close: async () => jvm.close(),
      };
    },
  };
}
