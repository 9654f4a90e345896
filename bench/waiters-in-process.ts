import { Crowd, contendedFigures } from './crowd.ts';
import type { Library } from './library.ts';
import type { TrialContestant } from './trial.ts';

/** Callers of one process that want the lock again as soon as they have released it. */
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
 * The same for a trial that opens its contestants for one round each: the round ends with waiters still waiting, because those
 * that poll at growing intervals would need minutes to leave.
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
