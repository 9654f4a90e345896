import { handsOf } from '../../hands.ts';
import { monotonicUs } from '../../monotonic.ts';
import { NOTHING } from '../../roles/steady.ts';
import { sumOf } from '../../shares.ts';
import type { Trial, TrialContestant } from '../../trial.ts';
import { holdfastLibsql } from '../libraries/holdfast.ts';

const PROCESSES = 4;

function contestant(name: string): TrialContestant {
  return {
    name,
    open: async (port, folder) => {
      const hands = handsOf(PROCESSES, 'steady', name, port, folder);
      await Promise.all(hands.map((hand) => hand.call('ready')));
      return {
        round: async (roundMs) => {
          const untilUs = monotonicUs() + roundMs * 1000;
          const worked = await Promise.all(hands.map((hand) => hand.call('work', untilUs)));
          return {
            'longest turn ms': Math.max(...worked.map(({ longestMs }) => longestMs)),
            'most work in a turn, ms': Math.max(...worked.map(({ busiestMs }) => busiestMs)),
            'sections/s': (sumOf(worked.map(({ sections }) => sections)) / roundMs) * 1000,
          };
        },
        close: async () => {
          for (const hand of hands) hand.letGo();
        },
      };
    },
  };
}

/**
 * SQLite runs in the thread of the event loop. Beside it stand as many processes that do nothing but turn their loops:
 * so long the system alone lets one of them wait for a processor.
 */
export const stall: Trial = {
  name: `longest turn of the event loop, ${PROCESSES} processes at full speed`,
  engine: 'sqlite',
  contestants: [holdfastLibsql.name, NOTHING].map(contestant),
  columns: [
    { figure: 'longest turn ms', digits: 1 },
    { figure: 'most work in a turn, ms', digits: 1 },
    { figure: 'sections/s', digits: 0 },
  ],
  promises: [],
  pace: {
    full: { rounds: 7, warmUpRounds: 1, roundMs: 2000 },
    quick: { rounds: 1, warmUpRounds: 1, roundMs: 500 },
  },
  story: {
    about:
      'SQLite works in the thread of the event loop. While a few processes take and give back one lock as fast as they can, ' +
      'this is the longest that a loop stood still. The floor is as many processes that only turn their loops.',
    figure: 'longest turn ms',
    better: 'less',
    ours: holdfastLibsql.name,
    floors: [NOTHING],
  },
};
