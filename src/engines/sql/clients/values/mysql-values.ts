import type { SqlValue } from '../../sql-client.ts';

/** As both clients take them, and the server finds them: there is no truth in MySQL, only 1 and 0. */
export function mysqlParameter(value: SqlValue): string | number | Buffer | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  // A text is compared with a number by way of floating point: so it is a number for as long as that is exact.
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}

/** Whole numbers of 64 bits are text, as they are from PostgreSQL. */
export function readMysqlValue(value: unknown): SqlValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (value instanceof Uint8Array) return value;
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}
