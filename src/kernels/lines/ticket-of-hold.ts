import type { Client } from '../../core/client.ts';
import { Grant } from '../../core/grants/grant.ts';
import type { Hold } from '../../spi/api/hold.ts';
import type { LineName } from '../../spi/engine/ticket-line.ts';
import type { OwnerId } from '../../spi/rule.ts';

/** The ticket that a hold stands on. */
export interface HeldTicket {
  readonly line: LineName;
  readonly id: OwnerId;
}

/** In which line the holds stand that exclude others, or keep out those that do: a permit of a semaphore guards nothing. */
const GUARDING_LINES = new Map([
  ['lock', 'lock'],
  ['fairLock', 'fairLock'],
  ['readLock', 'readWriteLock'],
  ['writeLock', 'readWriteLock'],
  ['election', 'election'],
]);

/**
 * The ticket of a hold of this client that guards something; undefined for any other hold.
 *
 * The tempting alternative finds the ticket by the fence. Where the fence is the revision of a list, two locks that were listed at the same
 * revision have the same one.
 */
export function ticketOfHold(client: Client, hold: Hold): HeldTicket | undefined {
  const { grant } = hold as { readonly grant?: unknown };
  if (!(grant instanceof Grant) || grant.holdable.client !== client) return undefined;
  const kind = GUARDING_LINES.get(grant.holdable.kind);
  return kind === undefined ? undefined : { line: { kind, name: grant.holdable.name }, id: grant.owner };
}
