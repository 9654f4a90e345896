import type { OwnerId } from '../../spi/rule.ts';
import type { MinHold } from '../../spi/verbs/holding.ts';
import type { Holdable } from '../acquire/holdable.ts';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2000;
/** What does not end by itself is worth trying for longer: through a failover, or a restart. */
const WITHOUT_LEASE_MS = 5 * 60 * 1000;

/**
 * Gives back a hold or a place in line whose release may not have arrived, until the store has answered or the lease
 * has ended by itself. Releasing twice is harmless because owner ids are never used again.
 */
export async function giveBack(
  holdable: Holdable,
  owner: OwnerId,
  leaseMs: number,
  minHold?: MinHold,
): Promise<void> {
  const { client, kind, name } = holdable;
  const until =
    client.clock.now() + Math.max(leaseMs, holdable.traits.clientEndsLeases ? WITHOUT_LEASE_MS : 0);
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      await holdable.release(owner, minHold);
      return;
    } catch (error) {
      client.events.trouble.emit({ kind, name, engine: client.label, owner, error });
      if (client.closed || client.clock.now() + pauseMs >= until) return;
      await client.sleep(pauseMs);
    }
  }
}
