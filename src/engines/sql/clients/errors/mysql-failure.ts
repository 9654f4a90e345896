import type { SqlFailure } from '../../sql-client.ts';
import { readClientError } from './client-error.ts';
import { SqlError } from './sql-error.ts';
import { systemFailure } from './system-failure.ts';

const NUMBERS: Readonly<Record<number, SqlFailure>> = {
  // Record has changed since last read, lock wait timeout, deadlock, the same for user locks, query interrupted, NOWAIT,
  // max_statement_time of MariaDB, max_execution_time of MySQL
  1020: 'again',
  1205: 'again',
  1213: 'again',
  3058: 'again',
  1317: 'again',
  3572: 'again',
  1969: 'again',
  3024: 'again',
  // Unknown database, no such table
  1049: 'missing',
  1146: 'missing',
  // Access denied: to a database, to the server, to a table, to a column, for want of a privilege
  1044: 'denied',
  1045: 'denied',
  1142: 'denied',
  1143: 'denied',
  1227: 'denied',
  1698: 'denied',
  // The server runs with an option such as --read-only, the transaction is read-only, read-only mode
  1290: 'read-only',
  1792: 'read-only',
  1836: 'read-only',
  // The table is full, the disk is full
  1114: 'full',
  1021: 'full',
  // Too many connections: in all, of this user; the host is blocked
  1040: 'unreachable',
  1203: 'unreachable',
  1226: 'unreachable',
  1129: 'unreachable',
  // A node of a Galera cluster that is not ready answers every statement with "unknown command"
  1047: 'unreachable',
  // Server shutdown in progress, connection killed, server has gone away, lost connection during query
  1053: 'unknown',
  1927: 'unknown',
  1152: 'unknown',
  2006: 'unknown',
  2013: 'unknown',
};

/** The codes of mysql2 and mariadb for what they noticed themselves. */
const WORDS: Readonly<Record<string, SqlFailure>> = {
  PROTOCOL_CONNECTION_LOST: 'unknown',
  PROTOCOL_SEQUENCE_TIMEOUT: 'unknown',
  ER_SOCKET_UNEXPECTED_CLOSE: 'unknown',
  ER_SOCKET: 'unknown',
  ER_SOCKET_TIMEOUT: 'unknown',
  ER_CMD_NOT_EXECUTED_DESTROYED: 'unknown',
  ER_CMD_CONNECTION_CLOSED: 'unreachable',
  ER_CONNECTION_ALREADY_CLOSED: 'unreachable',
  ER_CONNECTION_TIMEOUT: 'unreachable',
  ER_GET_CONNECTION_TIMEOUT: 'unreachable',
};

const SENTENCES: readonly (readonly [RegExp, SqlFailure])[] = [[/in closed state/, 'unreachable']];

/**
 * Our error for an error of a client for MySQL or MariaDB. `sent`: whether the statement can have reached the server.
 */
export function mysqlError(error: unknown, sent = true): SqlError {
  if (error instanceof SqlError) return error;
  const { message, code, errno } = readClientError(error);
  const failure = meaningOf(message, code, errno);
  const certain = failure === 'unknown' && !sent ? 'unreachable' : failure;
  return new SqlError(message, certain, errno === undefined ? code : String(errno));
}

function meaningOf(message: string, code: string | undefined, errno: number | undefined): SqlFailure {
  const system = systemFailure(code);
  if (system !== undefined) return system;
  if (errno !== undefined && errno in NUMBERS) return NUMBERS[errno]!;
  if (code !== undefined && code in WORDS) return WORDS[code]!;
  return SENTENCES.find(([sentence]) => sentence.test(message))?.[1] ?? 'final';
}
