import { aheadOf } from '../../ahead.ts';
import { contendedColumns } from '../../crowd.ts';
import type { Library } from '../../library.ts';
import { ofLonelyWaiters, ofWaiters } from '../../paces.ts';
import type { Trial } from '../../trial.ts';
import { waitersInProcess, waitersLeftBehind } from '../../waiters-in-process.ts';
import { holdfastLibsql, holdfastMysql2, holdfastPg } from '../libraries/holdfast.ts';
import { properLockfile, properLockfileFast } from '../libraries/proper-lockfile.ts';
import { verrouFastMysql2, verrouFastPg, verrouMysql2, verrouPg } from '../libraries/verrou.ts';

const WAITERS = 8;

function trial(engine: string, ours: Library, others: readonly Library[]) {
  const otherNames = others.map(({ name }) => name);
  return {
    name: `${WAITERS} waiters in one process`,
    engine,
    contestants: [ours, ...others].map(waitersInProcess(WAITERS)),
    columns: contendedColumns,
    promises: [aheadOf(ours.name, otherNames, 'sections/s', 'more', { atLeast: 3 })],
    pace: ofWaiters,
    story: {
      about:
        `${WAITERS} callers of one process want the same lock again as soon as they have given it back. Who hands it over ` +
        'inside the process needs no statement; who polls sleeps while the lock is free.',
      figure: 'sections/s',
      better: 'more',
      ours: ours.name,
    },
  } satisfies Trial;
}

const lockfiles = [properLockfile, properLockfileFast];

/** Measured apart: a folder is quickly made, and a waiter for a lock file waits longer from attempt to attempt. */
export const sqliteWaiters: Trial = {
  ...trial('sqlite', holdfastLibsql, lockfiles),
  contestants: [holdfastLibsql, ...lockfiles].map(waitersLeftBehind(WAITERS)),
  pace: ofLonelyWaiters,
  alone: 'each round',
};
export const postgresWaiters: Trial = trial('postgres', holdfastPg, [verrouPg, verrouFastPg]);
export const mysqlWaiters: Trial = trial('mysql', holdfastMysql2, [verrouMysql2, verrouFastMysql2]);
