import { handsOf } from '../../hands.ts';
import type { Library } from '../../library.ts';
import { monotonicUs } from '../../monotonic.ts';
import { ofFleets } from '../../paces.ts';
import { evenness, sumOf } from '../../shares.ts';
import type { Promised, Trial, TrialContestant } from '../../trial.ts';
import { holdfastFairMysql2, holdfastSemaphoreMysql2 } from '../libraries/holdfast.ts';

const PROCESSES = 4;
const WORKERS = 4;
/** Until all processes have heard when to start. */
const START_IN_US = 100_000;
/** Ten times the least that was seen, on a busy machine, when waiters looked at the rows every 50 ms and never more often. */
const LEAST_SECTIONS = 110;

function contestant({ name }: Library): TrialContestant {
  return {
    name,
    open: async (port) => {
      const hands = handsOf(PROCESSES, 'workers', name, port);
      await Promise.all(hands.map((hand) => hand.call('ready')));
      return {
        round: async (roundMs) => {
          const fromUs = monotonicUs() + START_IN_US;
          const shift = { name: 'fleet', workers: WORKERS, fromUs, slots: 1, slotMs: roundMs, insideMs: 0 };
          const worked = await Promise.all(hands.map((hand) => hand.call('work', shift)));
          const workers = worked.flatMap(({ counts }) => counts.map(sumOf));
          return {
            'sections/s': (sumOf(workers) / roundMs) * 1000,
            'CV of the workers': evenness(workers),
          };
        },
        close: async () => {
          for (const hand of hands) hand.letGo();
        },
      };
    },
  };
}

function promiseOf({ name }: Library): Promised {
  return {
    text: `sections/s, ${name}`,
    of: [name],
    value: (figureOf) => figureOf(name, 'sections/s'),
    bound: { atLeast: LEAST_SECTIONS },
    over: 'median',
  };
}

/** No message wakes a waiter on MariaDB: how often the lock changes hands is how soon its waiters look. */
export const mysqlFairFleet: Trial = {
  name: `fair lock and semaphore, ${PROCESSES} processes x ${WORKERS} waiters`,
  engine: 'mysql',
  contestants: [holdfastFairMysql2, holdfastSemaphoreMysql2].map(contestant),
  columns: [
    { figure: 'sections/s', digits: 0 },
    { figure: 'CV of the workers', digits: 3 },
  ],
  promises: [holdfastFairMysql2, holdfastSemaphoreMysql2].map(promiseOf),
  pace: ofFleets,
  story: {
    about:
      `${PROCESSES} processes with ${WORKERS} callers each want one fair lock, or the only permit of a semaphore, again as soon as they ` +
      'have given it back. Nothing is handed over inside a process: every section changes it, by a waiter that looks at the row.',
    figure: 'sections/s',
    better: 'more',
    ours: holdfastFairMysql2.name,
  },
};
