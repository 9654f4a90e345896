import type { Trial } from '../../trial.ts';
import { postgresBurst } from './burst.ts';
import { mysqlFairFleet } from './fair-fleet.ts';
import { mysqlHandOver, postgresHandOver, sqliteHandOver } from './hand-over.ts';
import { idleWaiters } from './idle-waiters.ts';
import { startUp } from './start-up.ts';
import { stall } from './stall.ts';
import { takeover } from './takeover.ts';
import { mysqlPair, postgresPair, sqlitePair } from './uncontended-pair.ts';
import { mysqlWaiters, postgresWaiters, sqliteWaiters } from './waiters-of-one-process.ts';

/** Every trial on a database. */
export const sqlTrials: readonly Trial[] = [
  sqlitePair,
  sqliteWaiters,
  sqliteHandOver,
  takeover,
  stall,
  startUp,
  postgresPair,
  postgresWaiters,
  postgresHandOver,
  postgresBurst,
  idleWaiters,
  mysqlPair,
  mysqlWaiters,
  mysqlHandOver,
  mysqlFairFleet,
];
