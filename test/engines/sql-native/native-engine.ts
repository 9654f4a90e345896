import { systemRandom } from '../../../src/core/time/clock.ts';
import {
  type MysqlLocks,
  mysqlLocks,
  type PostgresLocks,
  postgresLocks,
} from '../../../src/engines/sql/native/native-locks.ts';
import type { NativeParts } from '../../../src/engines/sql/native/native-parts.ts';
import type { SqlClient } from '../../../src/engines/sql/sql-client.ts';
import type { EngineOptions, Synchronizers } from '../../../src/index.ts';
import { assemble } from '../../../src/kernels/assemble.ts';
import { openContext } from '../../../src/kernels/context.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import type { Clock } from '../../../src/spi/clock.ts';

export interface NativeOptions extends EngineOptions {
  readonly clock?: Clock;
  readonly schema?: string;
  readonly tablePrefix?: string;
  readonly createTables?: boolean;
  readonly commandTimeoutMs?: number;
  readonly waitSliceMs?: number;
  readonly lateAfterMs?: number;
}

export type NativeEngine = Synchronizers<never> & PostgresLocks & MysqlLocks;

const traits = {
  wakeUp: 'poll',
  clock: 'server',
  crash: 'session',
  waiters: 'process',
  permitOrder: 'client',
  keyspace: 'by-kind',
  leaseGranularityMs: 1,
  scope: 'fleet',
} as const;

/** An engine object that has only the database's own locks. It does not close the pool. */
export function openNative(
  engine: 'postgres' | 'mysql',
  sql: SqlClient,
  {
    clock = systemClock,
    schema,
    tablePrefix = '',
    createTables = true,
    // Longer than users have it: a busy machine is not what these tests are about.
    commandTimeoutMs = 20_000,
    waitSliceMs = 1_000,
    lateAfterMs = 6_000,
    ...options
  }: NativeOptions = {},
): NativeEngine {
  const context = openContext({ engine, options, clock, random: systemRandom });
  const parts: NativeParts = {
    client: context.client,
    sql,
    open: () => context.session.open(),
    schema,
    tablePrefix,
    createTables,
    commandTimeoutMs,
    waitSliceMs,
    lateAfterMs,
  };
  const locks = engine === 'postgres' ? postgresLocks(parts) : mysqlLocks(parts);
  return { ...assemble<never>(context, { traits, protocols: {} }), ...locks } as NativeEngine;
}
