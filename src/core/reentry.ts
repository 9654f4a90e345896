import type { ErrorSubject } from '../spi/errors.ts';
import { onAbort } from './aborts.ts';
import type { Terms } from './terms.ts';
import type { Client } from './client.ts';
import { type Grant, safetyMarginMs } from './grant.ts';
import type { Level, Tenure } from './tenure.ts';
import { throwIfOver } from './wait.ts';

/** Waits until `from` is the innermost hold of its tenure, or has ended, or all of it is lost. */
export async function siblingsTurn(
  client: Client,
  tenure: Tenure,
  from: Level,
  subject: ErrorSubject,
  terms: Terms,
): Promise<void> {
  const bell = client.bell();
  const unlisten = terms.signal && onAbort(terms.signal, bell.ring);
  try {
    while (tenure.grant.open && tenure.has(from) && !tenure.isInnermost(from)) {
      const leave = tenure.queue(from, bell.ring);
      await bell.sleep(terms.until);
      leave();
      // Its turn has come: to give up now would strand those behind it, who will not be admitted again.
      if (tenure.isInnermost(from)) return;
      throwIfOver(client, subject, terms);
    }
  } finally {
    unlisten?.();
    client.dismiss(bell);
  }
}

/** Whether a re-entry on these terms asks for more than the grant has: it is then extended first, never shortened. */
export function asksForMore(grant: Grant, terms: Terms): boolean {
  if (grant.renewed) return false;
  return terms.renewed || terms.leaseMs > grant.remainingMs() + safetyMarginMs(grant.leaseMs);
}
