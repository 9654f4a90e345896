import { type Growth, sized } from './growth.ts';
import type { Library, Locker } from './library.ts';
import type { Figures, TrialContestant } from './trial.ts';

/** More would measure how long a queue in a client can become, and not what a lock costs beside many others. */
const AT_ONCE = 100;

export const locksGrowth: Growth = {
  axis: 'locks',
  sizes: [1, 100, 10_000],
  columns: [
    { figure: 'pairs/s', digits: 0 },
    { figure: 'client CPU µs a pair', digits: 1 },
  ],
};

/** Pairs on one lock, then on more and more locks in turn. */
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
            found.push(sized(await pairsInTurn(locker, size, roundMs / sizes.length), size));
          return Object.assign({}, ...found) as Figures;
        },
        close: () => locker.close(),
      };
    },
  };
}

/** All of them in turn, so that each has been used when the time is over. */
async function pairsInTurn(locker: Locker, locks: number, ms: number): Promise<Figures> {
  const names = Array.from({ length: locks }, (_, at) => `grown-${at}`);
  const cpu = process.cpuUsage();
  const start = performance.now();
  let pairs = 0;
  const work = async (): Promise<void> => {
    while (performance.now() - start < ms || pairs < locks)
      await locker.loop(names[pairs++ % locks] ?? '', 1);
  };
  await Promise.all(Array.from({ length: Math.min(locks, AT_ONCE) }, work));
  const elapsedMs = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { 'pairs/s': (pairs / elapsedMs) * 1000, 'client CPU µs a pair': (user + system) / pairs };
}
