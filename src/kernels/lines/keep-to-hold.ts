import { Grant } from '../../core/grants/grant.ts';
import { MOST_HAND_OVERS } from '../../core/queues/hand-over.ts';
import type { Hold } from '../../spi/api/hold.ts';

/**
 * The grant goes back to the store with this hold, and to no other owner of this process: its ticket is in the hands of a transaction.
 *
 * The race: a holder checks, and its transaction is slow to leave. It releases, the grant is handed over, and the ticket stands on for the
 * next owner of the process: the late write would pass beside it. The tempting alternative compares the fence as well, which the store
 * does not know of: a hand-over sends it nothing.
 */
export function keepToHold(hold: Hold): void {
  const { grant } = hold as { readonly grant?: unknown };
  if (grant instanceof Grant) grant.handOvers = MOST_HAND_OVERS;
}
