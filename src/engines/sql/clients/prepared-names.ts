import { createHash } from 'node:crypto';

/** Each text has one name for ever, so that a connection prepares it once. */
const names = new Map<string, string>();

/** Texts are few: they are made once for each engine object. Should somebody make more, they go unprepared. */
const MOST = 500;

/** The name of a statement on the server, where PostgreSQL wants it to have one. */
export function preparedName(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= MOST) return undefined;
  const name = `holdfast_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
  names.set(text, name);
  return name;
}

/**
 * The server does not know a prepared statement that the client has made, or knows one that it has not: the connection
 * goes through a pooler, or somebody has discarded everything on it. It was not carried out.
 */
export function isPreparationError(code: string | undefined): boolean {
  return code === '26000' || code === '42P05';
}
