import { Crowd, contendedFigures } from './crowd.ts';
import { type Growth, sized } from './growth.ts';
import type { Library } from './library.ts';
import type { Figures, TrialContestant } from './trial.ts';

export const crowdGrowth: Growth = {
  axis: 'waiters in one process',
  sizes: [1, 10, 100, 1000],
  columns: [
    { figure: 'sections/s', digits: 0 },
    { figure: 'hand-over p50 µs', digits: 1 },
  ],
};

/** Measures around some work, which returns its number of sections. */
export interface Onlooker {
  around(work: () => Promise<number>): Promise<Figures>;
  close(): void;
}

/** One crowd after the other, each larger than the one before, and none larger than `most`. */
export function growingCrowd(
  { name, open }: Library,
  most = Number.POSITIVE_INFINITY,
  onlookerAt?: (port: number) => Promise<Onlooker>,
): TrialContestant {
  const sizes = crowdGrowth.sizes.filter((size) => size <= most);
  return {
    name,
    open: async (port, folder) => {
      const locker = await open(port, folder);
      const onlooker = await onlookerAt?.(port);
      const figuresAt = async (size: number, ms: number): Promise<Figures> => {
        const crowd = new Crowd(locker);
        let figures: Figures = {};
        const work = async (): Promise<number> => {
          // A tenth of the time for all callers to arrive, and for the compiler to see what so many of them do.
          const contended = await crowd.contend('one', size, ms * 0.9, ms * 0.1);
          await contended.over;
          figures = contendedFigures(contended);
          return crowd.sections;
        };
        const seen = onlooker === undefined ? void (await work()) : await onlooker.around(work);
        return sized({ ...figures, ...seen }, size);
      };
      return {
        round: async (roundMs) => {
          const found: Figures[] = [];
          for (const size of sizes) found.push(await figuresAt(size, roundMs / sizes.length));
          return Object.assign({}, ...found) as Figures;
        },
        close: async () => {
          onlooker?.close();
          await locker.close();
        },
      };
    },
  };
}
