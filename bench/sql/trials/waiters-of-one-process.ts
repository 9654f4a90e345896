import type { Library } from '../../library.ts';
import { ofWaiters } from '../../paces.ts';
import type { Trial } from '../../trial.ts';
import { WAITERS, waitersInProcess } from '../../waiters-in-process.ts';
import { holdfastLibsql, holdfastMysql2, holdfastPg } from '../libraries/holdfast.ts';
import { verrouFastMysql2, verrouFastPg, verrouMysql2, verrouPg } from '../libraries/verrou.ts';

function trial(engine: string, ours: Library, others: readonly Library[]): Trial {
  return {
    name: `${WAITERS} waiters in one process`,
    engine,
    contestants: [ours, ...others].map(waitersInProcess),
    columns: [
      { figure: 'sections/s', digits: 0 },
      { figure: 'hand-over p50 µs', digits: 1 },
      { figure: 'CV of the waiters', digits: 2 },
    ],
    promises:
      others.length === 0
        ? []
        : [
            {
              text: `sections/s, ${ours.name} to the fastest of the others`,
              of: [ours.name, ...others.map(({ name }) => name)],
              value: (figureOf) =>
                figureOf(ours.name, 'sections/s') /
                Math.max(...others.map(({ name }) => figureOf(name, 'sections/s'))),
              bound: { atLeast: 3 },
              over: 'median',
            },
          ],
    pace: ofWaiters,
    story: {
      about:
        `${WAITERS} callers of one process want the same lock again as soon as they have given it back. Who hands it over ` +
        'inside the process needs no statement; who polls sleeps while the lock is free.',
      figure: 'sections/s',
      better: 'more',
      ours: ours.name,
    },
  };
}

export const sqliteWaiters = trial('sqlite', holdfastLibsql, []);
export const postgresWaiters = trial('postgres', holdfastPg, [verrouPg, verrouFastPg]);
export const mysqlWaiters = trial('mysql', holdfastMysql2, [verrouMysql2, verrouFastMysql2]);
