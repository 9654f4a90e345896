import type { HoldfastEvent } from '../../spi/synchronizers.ts';
import type { Client } from '../client.ts';
import type { Grant } from './grant.ts';

/** When an acquisition began, if a listener wants to know how long it takes. */
export function startedAt(client: Client): number | undefined {
  return client.events.acquire.wanted ? client.clock.now() : undefined;
}

/** Reports a hold to the listeners, if there were any when its acquisition began. */
export function tellAcquired(grant: Grant, since: number | undefined): void {
  if (since === undefined) return;
  const { client } = grant.holdable;
  client.events.acquire.emit({ ...grantEvent(grant), elapsedMs: client.clock.now() - since });
}

/** Reports that the owner which had the grant since then has released it, to the store or to the next owner here. */
export function tellReleased(grant: Grant, since: number): void {
  const { client } = grant.holdable;
  if (!client.events.release.wanted) return;
  client.events.release.emit({ ...grantEvent(grant), elapsedMs: client.clock.now() - since });
}

/** What every event about a grant says; the fence is that of the present holder. */
export function grantEvent(grant: Grant): HoldfastEvent {
  const { kind, name, client } = grant.holdable;
  const fence = BigInt(grant.fenceAt(Math.max(0, grant.fencesTaken - 1)));
  return { kind, name, engine: client.label, owner: grant.owner, fence };
}
