import { createHash } from 'node:crypto';

/** Each text keeps one name, so that a connection prepares it once. */
const names = new Map<string, string>();

/** Texts are few, because each engine object makes them once. More than these go unprepared. */
const MOST = 500;

/** The name of a prepared statement on the server, which PostgreSQL requires. */
export function preparedName(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= MOST) return undefined;
  const name = `holdfast_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
  names.set(text, name);
  return name;
}

/**
 * Whether the server does not know a prepared statement that the client has made, or knows one that the client has not:
 * the connection goes through a pooler, or another program has run DISCARD on it. The statement was not carried out.
 */
export function isPreparationError(code: string | undefined): boolean {
  return code === '26000' || code === '42P05';
}
