import type { SqlValue } from '../../sql-client.ts';

/** The object ids of types in PostgreSQL, which never change. */
const BOOL = 16;
const BYTEA = 17;
const NUMBERS = new Set([21, 23, 26, 700, 701]);

/**
 * Sends parameters as text of unknown type, and lets the server find the type: each client has its own way to write a
 * value, and users change it. One of them would encode a text for a JSON column as JSON once more.
 */
export function postgresParameter(value: SqlValue): string | null {
  if (value === null) return null;
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  return String(value);
}

/** Reads values ourselves: numbers of up to 53 bits, booleans, bytes, and everything else as the server writes it. */
export function readPostgresValue(type: number, text: string): SqlValue {
  if (type === BOOL) return text === 't';
  if (type === BYTEA) return Buffer.from(text.slice(2), 'hex');
  return NUMBERS.has(type) ? Number(text) : text;
}
