import type { Client } from '../client.ts';
import type { Grant } from './grant.ts';

/** When an acquisition began, if anybody listens for how long it takes. */
export function startedAt(client: Client): number | undefined {
  return client.events.acquire.wanted ? client.clock.now() : undefined;
}

/** Tells those who listen that somebody has come in. */
export function tellAcquired(grant: Grant, since: number | undefined): void {
  if (since === undefined) return;
  const { client } = grant.resource;
  client.events.acquire.emit({ ...grant.event(), elapsedMs: client.clock.now() - since });
}
