import type { SqlResult, SqlValue } from '../../sql-client.ts';
import type { PostgresJsRows, PostgresJsStatements } from './postgres-js-shapes.ts';
import { postgresParameter, readPostgresValue } from '../values/postgres-values.ts';

/** The type that stands for none: the server finds the real one, and the client writes the value as it is. */
const UNKNOWN_TYPE = 705;

export async function postgresJsQuery(
  sql: PostgresJsStatements,
  text: string,
  values: readonly SqlValue[],
  prepare: boolean,
): Promise<SqlResult> {
  // Nulls as well: with another type for each it would be another statement for each, and prepared anew.
  const parameters = values.map((value) => sql.typed(postgresParameter(value), UNKNOWN_TYPE));
  // Without parameters it goes by the simple protocol, which takes several statements at once and prepares none.
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

/** Of several statements, the last one: each is then a result of its own. */
function lastOf(rows: PostgresJsRows): PostgresJsRows {
  const last: unknown = rows.at(-1);
  return Array.isArray(last) && 'count' in last ? (last as unknown as PostgresJsRows) : rows;
}
