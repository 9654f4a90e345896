import { type Growth, sized } from './growth.ts';
import type { Library, Locker } from './library.ts';
import type { Figures, TrialContestant } from './trial.ts';

export const locksGrowth: Growth = {
  axis: 'locks at once',
  sizes: [1, 100, 10_000],
  columns: [
    { figure: 'pairs/s', digits: 0 },
    { figure: 'client CPU µs a pair', digits: 1 },
  ],
};

/** Pairs on one lock, then on many at once, each lock by itself. */
export function growingNumberOfLocks({ name, open }: Library): TrialContestant {
  const { sizes } = locksGrowth;
  return {
    name,
    open: async (port, folder) => {
      const locker = await open(port, folder);
      return {
        round: async (roundMs) => {
          const found: Figures[] = [];
          for (const size of sizes)
            found.push(sized(await pairsAtOnce(locker, size, roundMs / sizes.length), size));
          return Object.assign({}, ...found) as Figures;
        },
        close: () => locker.close(),
      };
    },
  };
}

/** All locks have the same number of pairs, also if the time is over before the last has had its first. */
async function pairsAtOnce(locker: Locker, locks: number, ms: number): Promise<Figures> {
  const names = Array.from({ length: locks }, (_, at) => `grown-${at}`);
  const cpu = process.cpuUsage();
  const start = performance.now();
  let pairs = 0;
  while (performance.now() - start < ms) {
    await Promise.all(names.map((lock) => locker.loop(lock, 1)));
    pairs += locks;
  }
  const elapsedMs = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { 'pairs/s': (pairs / elapsedMs) * 1000, 'client CPU µs a pair': (user + system) / pairs };
}
