import type { ErrorSubject } from '../spi/errors.ts';
import { onAbort } from './aborts.ts';
import type { Client } from './client.ts';
import { type Grant, safetyMarginMs } from './grant.ts';
import type { Scope } from './scope.ts';
import type { Terms } from './terms.ts';
import { throwIfOver } from './wait.ts';

/**
 * Waits behind the branches of this scope that are inside, then calls `enter` in the same step in which its turn is
 * seen: a promise between the two would let the next branch see the same turn. Also when the holds of the scope have
 * ended or are lost; `enter` finds out.
 */
export async function enterBehindSiblings<T>(
  client: Client,
  from: Scope,
  forRun: boolean,
  subject: ErrorSubject,
  terms: Terms,
  enter: () => T | PromiseLike<T>,
): Promise<T> {
  const { tenure } = from;
  const bell = client.bell();
  const unlisten = terms.signal && onAbort(terms.signal, bell.ring);
  const leave = tenure.queue({ from, forRun, wake: bell.ring });
  try {
    for (;;) {
      await bell.sleep(terms.until);
      // Its turn has come: to give up now would strand those behind it, who will not be woken again.
      if (!tenure.grant.open || !tenure.isHeldIn(from) || tenure.isFreeFor(from)) {
        leave();
        return await enter();
      }
      throwIfOver(client, subject, terms);
    }
  } finally {
    leave();
    unlisten?.();
    client.dismiss(bell);
  }
}

/** Whether a re-entry on these terms asks for more than the grant has: it is then extended first, never shortened. */
export function asksForMore(grant: Grant, terms: Terms): boolean {
  if (grant.renewed) return false;
  return terms.renewed || terms.leaseMs > grant.remainingMs() + safetyMarginMs(grant.leaseMs);
}
