import type { OwnerId, Wake } from '../../../spi/rule.ts';

/** The message for all waiters, and the separator between owners. */
export const ALL_WAITERS = '*';
const BETWEEN = ' ';
/** The longest list of owners; a longer one becomes a message for all waiters, because PostgreSQL limits the size of a message. */
const LONGEST = 4000;

/** The owners that a change wakes, as the row stores and a message sends them; null for none. */
export function wakeMessage(wake: Wake): string | null {
  if (wake === 'none' || wake.length === 0) return null;
  if (wake === 'anyone') return ALL_WAITERS;
  const message = wake.join(BETWEEN);
  return message.length > LONGEST ? ALL_WAITERS : message;
}

/** Calls the watchers that a message names. */
export function callNamed(watchers: ReadonlyMap<() => void, OwnerId>, message: string): void {
  const meant = message === ALL_WAITERS ? undefined : new Set(message.split(BETWEEN));
  for (const [heard, owner] of watchers) if (meant === undefined || meant.has(owner)) heard();
}
