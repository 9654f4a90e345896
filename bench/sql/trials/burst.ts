import { ofDurableHandOvers } from '../../paces.ts';
import type { Trial, TrialContestant } from '../../trial.ts';
import { holdfastPg } from '../libraries/holdfast.ts';
import { StatementCounts } from '../statement-counts.ts';

const NAMES = 500;
const FIGURE = 'statements a lock';

/** Acquires as many locks at once over the ten connections of one pool. No other caller wants their names, and none has been used before. */
const contestant: TrialContestant = {
  name: holdfastPg.name,
  open: async (port, folder) => {
    const locker = await holdfastPg.open(port, folder);
    const counts = await StatementCounts.at(port);
    let bursts = 0;
    await locker.loop('warm', 1);
    return {
      round: async () => {
        const burst = bursts++;
        const names = Array.from({ length: NAMES }, (_, at) => `burst-${burst}-${at}`);
        const before = await counts.now();
        const start = performance.now();
        const releases = await Promise.all(names.map((name) => locker.acquire(name)));
        const elapsedMs = performance.now() - start;
        const statements = (await counts.now()) - before;
        await Promise.all(releases.map((release) => release()));
        return { [FIGURE]: statements / NAMES, 'locks/s': (NAMES / elapsedMs) * 1000 };
      },
      close: async () => {
        await counts.close();
        await locker.close();
      },
    };
  },
};

export const postgresBurst: Trial = {
  name: `burst of ${NAMES} locks`,
  engine: 'postgres',
  contestants: [contestant],
  columns: [
    { figure: FIGURE, digits: 2 },
    { figure: 'locks/s', digits: 0 },
  ],
  promises: [
    {
      text: `${FIGURE}, ${holdfastPg.name}`,
      of: [holdfastPg.name],
      value: (figureOf) => figureOf(holdfastPg.name, FIGURE),
      bound: { atMost: 1.2 },
      over: 'median',
    },
  ],
  pace: ofDurableHandOvers,
  story: {
    about:
      `A process asks for ${NAMES} locks of different names at once over a pool of ten connections, as a job that starts many tasks does. ` +
      'A lock that no other caller wants should cost one statement, also where hundreds wait for a connection.',
    figure: FIGURE,
    better: 'less',
    ours: holdfastPg.name,
  },
};
