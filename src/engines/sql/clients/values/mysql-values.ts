import type { SqlResult, SqlValue } from '../../sql-client.ts';

/** A parameter as both clients send it. MySQL has no boolean type, only 1 and 0. */
export function mysqlParameter(value: SqlValue): string | number | Buffer | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  // MySQL compares a text with a number by floating point, so send a number as long as that is exact.
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}

/** Integers of 64 bits are text, as they are from PostgreSQL. */
function readMysqlValue(value: unknown): SqlValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (value instanceof Uint8Array) return value;
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}

interface MysqlHeader {
  readonly affectedRows?: unknown;
  readonly insertId?: unknown;
}

/** Rows as arrays, or the header of a statement without columns. Both clients count the rows that matched. */
export function mysqlResult(answer: unknown): SqlResult {
  if (Array.isArray(answer)) {
    const rows = (answer as readonly (readonly unknown[])[]).map((row) => row.map(readMysqlValue));
    return { rows, changed: 0 };
  }
  const { affectedRows, insertId } = (answer ?? {}) as MysqlHeader;
  return { rows: [], changed: Number(affectedRows ?? 0), insertId: Number(insertId ?? 0) };
}
