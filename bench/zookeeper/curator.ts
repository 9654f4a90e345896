import { Jvm } from '../jvm.ts';
import { evenness, sumOf } from '../shares.ts';
import type { Figures, TrialContestant } from '../trial.ts';

export const CURATOR = 'Curator InterProcessMutex (Java)';

/** What Curator asks for when nothing is set. */
const SESSION_MS = 60_000;

/** Curator itself: so many threads of one Java program that want one mutex again as soon as they have released it. */
export function curatorContestant(
  threads: number,
  figuresOf: (perSecond: number, unevenness: number) => Figures,
): TrialContestant {
  return {
    name: CURATOR,
    open: async (port) => {
      const jvm = await Jvm.start('curator-5-9', [{ servers: `127.0.0.1:${port}`, sessionMs: SESSION_MS }]);
      return {
        round: async (roundMs) => {
          const counts = await jvm.ask<number[]>({
            task: 'pairs',
            name: '/curator/mutex',
            threads,
            forMs: roundMs,
          });
          return figuresOf((sumOf(counts) / roundMs) * 1000, evenness(counts));
        },
        close: async () => jvm.close(),
      };
    },
  };
}
