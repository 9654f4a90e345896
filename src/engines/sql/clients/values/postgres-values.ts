import type { SqlValue } from '../../sql-client.ts';

/** The numbers of types in PostgreSQL, which never change. */
const BOOL = 16;
const BYTEA = 17;
const NUMBERS = new Set([21, 23, 26, 700, 701]);

/**
 * Parameters travel as text of no type, and the server finds the type: each client has its own ideas of how to write a
 * value, and users change them. One of them would write a text for JSON as JSON once more.
 */
export function postgresParameter(value: SqlValue): string | null {
  if (value === null) return null;
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  return String(value);
}

/** What comes back, read by ourselves: numbers of up to 53 bits, truth, bytes, and everything else as the server writes it. */
export function readPostgresValue(type: number, text: string): SqlValue {
  if (type === BOOL) return text === 't';
  if (type === BYTEA) return Buffer.from(text.slice(2), 'hex');
  return NUMBERS.has(type) ? Number(text) : text;
}
