import type { Library } from './library.ts';
import { evenness } from './shares.ts';
import { percentile } from './statistics.ts';
import type { TrialContestant } from './trial.ts';

export const WAITERS = 8;

/** Some of one process, who want the lock again as soon as they have given it back. */
export function waitersInProcess({ name, open }: Library): TrialContestant {
  return {
    name,
    open: async (port, folder) => {
      const locker = await open(port, folder);
      return {
        round: async (roundMs) => {
          const start = performance.now();
          const handOversUs: number[] = [];
          const counts = Array.from({ length: WAITERS }, () => 0);
          let releasedAt = start;
          const work = async (_: unknown, waiter: number): Promise<void> => {
            while (performance.now() - start < roundMs) {
              const release = await locker.acquire('one');
              handOversUs.push((performance.now() - releasedAt) * 1000);
              counts[waiter] = (counts[waiter] ?? 0) + 1;
              releasedAt = performance.now();
              await release();
            }
          };
          await Promise.all(Array.from({ length: WAITERS }, work));
          const elapsedMs = performance.now() - start;
          return {
            'sections/s': (handOversUs.length / elapsedMs) * 1000,
            'hand-over p50 µs': percentile(handOversUs, 0.5),
            'CV of the waiters': evenness(counts),
          };
        },
        close: () => locker.close(),
      };
    },
  };
}
