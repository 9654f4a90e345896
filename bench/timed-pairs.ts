import type { Library } from './library.ts';
import { percentile } from './statistics.ts';
import type { Column, TrialContestant } from './trial.ts';

/** One pair after the other, and how long each of them took. */
export function timedPairs({ name, open }: Library): TrialContestant {
  return {
    name,
    open: async (port, folder) => {
      const locker = await open(port, folder);
      return {
        round: async (roundMs) => {
          const start = performance.now();
          const pairsUs: number[] = [];
          for (let before = start; before - start < roundMs;) {
            await locker.loop('pair', 1);
            const after = performance.now();
            pairsUs.push((after - before) * 1000);
            before = after;
          }
          return {
            'p50 µs': percentile(pairsUs, 0.5),
            'p99 µs': percentile(pairsUs, 0.99),
            'pairs/s': (pairsUs.length / (performance.now() - start)) * 1000,
          };
        },
        close: () => locker.close(),
      };
    },
  };
}

export const timedPairColumns: readonly Column[] = [
  { figure: 'p50 µs', digits: 0 },
  { figure: 'p99 µs', digits: 0 },
  { figure: 'pairs/s', digits: 0 },
];
