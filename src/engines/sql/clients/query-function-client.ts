import type { SqlClient, SqlResult, SqlValue } from '../sql-client.ts';
import { mysqlError } from './errors/mysql-failure.ts';
import { postgresError } from './errors/postgres-failure.ts';
import { sizeOfPool } from './pool-settings.ts';
import { failureOf, SqlError } from './errors/sql-error.ts';
import { isSqlState } from './errors/sql-state.ts';

/** The properties in which clients report how many rows were changed. */
const COUNTS = ['rowCount', 'numAffectedRows', 'affectedRows', 'count'] as const;

/**
 * A function that runs one statement: with `$1` in PostgreSQL, `?` in MySQL. It answers with rows, or an object with
 * `rows`.
 */
export type QueryFunction = (text: string, values: SqlValue[]) => PromiseLike<unknown>;

/** Statements through the user's function, and nothing more: no connections of our own, and no notifications. */
export function queryFunctionClient(query: QueryFunction, engine: 'postgres' | 'mysql'): SqlClient {
  const known = engine === 'postgres' ? postgresError : mysqlError;
  return {
    atOnce: sizeOfPool(),
    query: async (text, values, sending) => {
      sending?.leaves();
      let answer: unknown;
      try {
        answer = await query(text, [...values]);
      } catch (error) {
        const failed = certainOnlyByCode(known(error));
        if (failed.failure !== 'unknown') sending?.cameToNothing();
        throw failed;
      }
      return resultOf(answer);
    },
    failure: failureOf,
    openSession: undefined,
    close: async () => undefined,
  };
}

/**
 * Only a code proves that the database has refused the statement. The tempting alternative takes every other error for
 * a refusal, as with clients whose errors are known: but the user's function may throw a time-out of its own while the
 * database carries the statement out.
 */
function certainOnlyByCode(failed: SqlError): SqlError {
  if (failed.failure !== 'final' || isCodeOfDatabase(failed.code)) return failed;
  return new SqlError(failed.message, 'unknown', failed.code);
}

/** An SQLSTATE, or an error number of MySQL and MariaDB. */
function isCodeOfDatabase(code: string | undefined): boolean {
  return code !== undefined && (/^[0-9]+$/.test(code) || isSqlState(code));
}

function resultOf(answer: unknown): SqlResult {
  const rows = rowsOf(answer);
  const changed = changedOf(answer) ?? rows.length;
  const insertId = fieldOf(answer, 'insertId');
  return { rows, changed, ...(insertId !== undefined && { insertId: Number(insertId) }) };
}

function rowsOf(answer: unknown): readonly (readonly SqlValue[])[] {
  const rows = Array.isArray(answer) ? answer : fieldOf(answer, 'rows');
  if (Array.isArray(rows)) return rows.map(rowOf);
  // A statement that changes something may bring nothing but the number of changed rows.
  if (changedOf(answer) !== undefined) return [];
  throw new SqlError(
    'the query function must answer with rows, or with an object that has rows',
    'final',
    undefined,
  );
}

/** Objects keep the order in which their fields were set, which is that of the columns. */
function rowOf(row: unknown): readonly SqlValue[] {
  const values: readonly unknown[] = Array.isArray(row) ? row : Object.values(row as object);
  return values.map(valueOf);
}

function valueOf(value: unknown): SqlValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object') return value as SqlValue;
  if (value instanceof Uint8Array) return value;
  // Dates, and the decimals of Prisma: an object that stands for one text. JSON would put it into quotes.
  const json = JSON.stringify(value);
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

function changedOf(answer: unknown): number | undefined {
  for (const name of COUNTS) {
    const count = fieldOf(answer, name);
    if (typeof count === 'number' || typeof count === 'bigint') return Number(count);
  }
  return undefined;
}

function fieldOf(answer: unknown, name: string): unknown {
  return typeof answer === 'object' && answer !== null && name in answer
    ? (answer as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
