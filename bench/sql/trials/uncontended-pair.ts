import type { Library } from '../../library.ts';
import { ofDurablePairs, ofPairs } from '../../paces.ts';
import { timedPairColumns, timedPairs } from '../../timed-pairs.ts';
import type { Trial } from '../../trial.ts';
import { bareLibsql, bareMysql2, barePg } from '../libraries/bare.ts';
import { holdfastLibsql, holdfastMysql2, holdfastPg } from '../libraries/holdfast.ts';
import { properLockfile, properLockfileFast } from '../libraries/proper-lockfile.ts';
import { verrouMysql2, verrouPg } from '../libraries/verrou.ts';

function trial(
  engine: string,
  floor: Library,
  ours: Library,
  others: readonly Library[],
  atMost: number,
  pace: Trial['pace'],
): Trial {
  return {
    name: 'uncontended pair',
    engine,
    contestants: [floor, ours, ...others].map(timedPairs),
    columns: timedPairColumns,
    promises: [
      {
        text: `p50 of a pair, ${ours.name} to ${floor.name}`,
        of: [ours.name, floor.name],
        value: (figureOf) => figureOf(ours.name, 'p50 µs') / figureOf(floor.name, 'p50 µs'),
        bound: { atMost },
        over: 'median',
      },
    ],
    pace,
    story: {
      about:
        'A lock that no other caller wants is taken and given back, again and again: the price that every critical section pays. ' +
        'The floor is two prepared UPDATEs of a row, each a transaction of its own.',
      figure: 'p50 µs',
      better: 'less',
      ours: ours.name,
      floors: [floor.name],
    },
  };
}

/** A statement of SQLite is a call in this process and no message to another: what is around it weighs more. */
export const sqlitePair = trial(
  'sqlite',
  bareLibsql,
  holdfastLibsql,
  [properLockfile, properLockfileFast],
  4,
  ofPairs,
);
export const postgresPair = trial('postgres', barePg, holdfastPg, [verrouPg], 1.5, ofDurablePairs);
export const mysqlPair = trial('mysql', bareMysql2, holdfastMysql2, [verrouMysql2], 1.5, ofDurablePairs);
