import type { SqlResult, SqlValue } from '../../sql-client.ts';
import type { PostgresJsRows, PostgresJsStatements } from './postgres-js-shapes.ts';
import { postgresParameter, readPostgresValue } from '../values/postgres-values.ts';

/** The type `unknown`: the server finds the real type, and the client sends the value as it is. */
const UNKNOWN_TYPE = 705;

export async function postgresJsQuery(
  sql: PostgresJsStatements,
  text: string,
  values: readonly SqlValue[],
  prepare: boolean,
): Promise<SqlResult> {
  // Nulls as well: with types of their own each combination would be another statement, prepared anew.
  const parameters = values.map((value) => sql.typed(postgresParameter(value), UNKNOWN_TYPE));
  // Without parameters postgres.js uses the simple protocol, which takes several statements at once and prepares none.
  const how = values.length === 0 ? {} : { prepare };
  return resultOf(lastOf(await sql.unsafe(text, parameters, how).raw()));
}

function resultOf(rows: PostgresJsRows): SqlResult {
  const types = rows.columns?.map(({ type }) => type) ?? [];
  return {
    rows: rows.map((row) => row.map((value, at) => valueOf(value, types[at] ?? 0))),
    changed: rows.count ?? 0,
  };
}

function valueOf(value: Uint8Array | null, type: number): SqlValue {
  return value === null ? null : readPostgresValue(type, Buffer.from(value).toString('utf8'));
}

/** The result of the last statement: several statements bring an array of results. */
function lastOf(rows: PostgresJsRows): PostgresJsRows {
  const last: unknown = rows.at(-1);
  return Array.isArray(last) && 'count' in last ? (last as unknown as PostgresJsRows) : rows;
}
