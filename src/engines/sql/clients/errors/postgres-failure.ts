import type { SqlFailure } from '../../sql-client.ts';
import { readClientError } from './client-error.ts';
import { SqlError } from './sql-error.ts';
import { isSqlState } from './sql-state.ts';
import { systemFailure } from './system-failure.ts';

const STATES: Readonly<Record<string, SqlFailure>> = {
  // serialization_failure, deadlock_detected, lock_not_available, query_canceled
  '40001': 'again',
  '40P01': 'again',
  '55P03': 'again',
  '57014': 'again',
  // undefined_table, invalid_schema_name
  '42P01': 'missing',
  '3F000': 'missing',
  // insufficient_privilege
  '42501': 'denied',
  // read_only_sql_transaction: a standby answers so, and a primary that was demoted or whose disk is nearly full
  '25006': 'read-only',
  // disk_full, out_of_memory, io_error: the server has undone the statement, and may carry it out later
  '53100': 'full',
  '53200': 'full',
  '58030': 'full',
  // sqlclient_unable_to_establish_sqlconnection, sqlserver_rejected_establishment, too_many_connections,
  // cannot_connect_now
  '08001': 'unreachable',
  '08004': 'unreachable',
  '53300': 'unreachable',
  '57P03': 'unreachable',
  // admin_shutdown, crash_shutdown, idle_session_timeout, idle_in_transaction_session_timeout
  '57P01': 'unknown',
  '57P02': 'unknown',
  '57P05': 'unknown',
  '25P03': 'unknown',
};

const CLASSES: Readonly<Record<string, SqlFailure>> = {
  // connection_exception, invalid_authorization_specification
  '08': 'unknown',
  '28': 'denied',
};

/** The codes of postgres.js, and of Prisma. */
const WORDS: Readonly<Record<string, SqlFailure>> = {
  CONNECT_TIMEOUT: 'unreachable',
  CONNECTION_CLOSED: 'unknown',
  CONNECTION_DESTROYED: 'unknown',
  // What Prisma calls errors of the network between pg and the server
  DatabaseNotReachable: 'unreachable',
  TlsConnectionError: 'unreachable',
  ConnectionClosed: 'unknown',
  SocketTimeout: 'unknown',
  // Wrong password, no server, no right to the database, no free connection in the pool, a deadlock or a conflict
  P1000: 'denied',
  P1001: 'unreachable',
  P1010: 'denied',
  P2024: 'unreachable',
  P2034: 'again',
};

/** The messages of pg, which has no codes for these. */
const SENTENCES: readonly (readonly [RegExp, SqlFailure])[] = [
  [/is not queryable|timeout exceeded when trying to connect|due to connection timeout/, 'unreachable'],
  [/Connection terminated|Query read timeout/, 'unknown'],
];

/** Our error for an error of a client for PostgreSQL. `sent`: whether the statement can have reached the server. */
export function postgresError(error: unknown, sent = true): SqlError {
  if (error instanceof SqlError) return error;
  const { message, code } = readClientError(error);
  const failure = meaningOf(message, code);
  const certain = failure === 'unknown' && !sent ? 'unreachable' : failure;
  return new SqlError(message, certain, code);
}

function meaningOf(message: string, code: string | undefined): SqlFailure {
  const system = systemFailure(code);
  if (system !== undefined) return system;
  if (code !== undefined && code in WORDS) return WORDS[code]!;
  if (code !== undefined && isSqlState(code)) return STATES[code] ?? CLASSES[code.slice(0, 2)] ?? 'final';
  return SENTENCES.find(([sentence]) => sentence.test(message))?.[1] ?? 'final';
}
