import type { OwnerId, Wake } from '../../../spi/rule.ts';

/** What a message says to everybody, and what stands between owners. */
export const EVERYBODY = '*';
const BETWEEN = ' ';
/** A message that would be longer than this says "everybody": PostgreSQL carries no longer ones. */
const LONGEST = 4000;

/** Whom a change lets in, as it is written into the row or sent; null for nobody. */
export function wakeMessage(wake: Wake): string | null {
  if (wake === 'none' || wake.length === 0) return null;
  if (wake === 'anyone') return EVERYBODY;
  const message = wake.join(BETWEEN);
  return message.length > LONGEST ? EVERYBODY : message;
}

/** Calls those who are meant. */
export function callMeant(watchers: ReadonlyMap<() => void, OwnerId>, message: string): void {
  const meant = message === EVERYBODY ? undefined : new Set(message.split(BETWEEN));
  for (const [heard, owner] of watchers) if (meant === undefined || meant.has(owner)) heard();
}
