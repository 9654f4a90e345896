import type { SqlResult } from '../../sql-client.ts';
import { readMysqlValue } from './mysql-values.ts';

interface Header {
  readonly affectedRows?: unknown;
  readonly insertId?: unknown;
}

/** Rows as arrays, or the header of a statement without columns. Both clients count the rows that matched. */
export function mysqlResult(answer: unknown): SqlResult {
  if (Array.isArray(answer)) {
    const rows = (answer as readonly (readonly unknown[])[]).map((row) => row.map(readMysqlValue));
    return { rows, changed: 0 };
  }
  const { affectedRows, insertId } = (answer ?? {}) as Header;
  return { rows: [], changed: Number(affectedRows ?? 0), insertId: Number(insertId ?? 0) };
}
