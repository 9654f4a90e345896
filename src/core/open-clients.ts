import type { Client } from './client.ts';
import { SweepPace } from './queues/sweep-pace.ts';

/** The engine objects of this process. Weak: one that the program drops without closing it is not to stay for this. */
const clients = new Set<WeakRef<Client>>();
const sweepPace = new SweepPace();

export function noteOpenClient(client: Client): void {
  if (sweepPace.isDue(clients.size)) sweepPace.restart([...openClients()].length);
  clients.add(new WeakRef(client));
}

/** The engine objects of this process that are not closed. */
export function* openClients(): Generator<Client> {
  for (const known of clients) {
    const client = known.deref();
    if (client === undefined || client.closed) clients.delete(known);
    else yield client;
  }
}
