import type { HoldfastEvent } from '../../spi/synchronizers.ts';
import type { Grant } from './grant.ts';

/** What every event about a grant says; the fence is that of the present holder. */
export function grantEvent(grant: Grant) {
  const { kind, name, client } = grant.holdable;
  const fence = BigInt(grant.fenceAt(Math.max(0, grant.fencesTaken - 1)));
  return { kind, name, engine: client.label, owner: grant.owner, fence } satisfies HoldfastEvent;
}
