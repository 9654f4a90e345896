import { Crowd, contendedFigures } from './crowd.ts';
import type { Library } from './library.ts';
import type { TrialContestant } from './trial.ts';

/** Some of one process, who want the lock again as soon as they have given it back. */
export function waitersInProcess(waiters: number): (library: Library) => TrialContestant {
  return ({ name, open }) => ({
    name,
    open: async (port, folder) => {
      const locker = await open(port, folder);
      return {
        round: async (roundMs) => {
          const contended = await new Crowd(locker).contend('one', waiters, roundMs);
          await contended.over;
          return contendedFigures(contended);
        },
        close: () => locker.close(),
      };
    },
  });
}

/**
 * The same for a trial in which everybody is opened for one round: it is left with all who still wait, because those who
 * ask again after longer and longer times would need minutes to go.
 */
export function waitersLeftBehind(waiters: number): (library: Library) => TrialContestant {
  return ({ name, open }) => ({
    name,
    open: async (port, folder) => {
      const locker = await open(port, folder);
      return {
        round: async (roundMs) =>
          contendedFigures(await new Crowd(locker).contend('one', waiters, roundMs, roundMs / 4)),
        close: async () => undefined,
      };
    },
  });
}
