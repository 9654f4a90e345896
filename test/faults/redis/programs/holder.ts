// Takes one of everything that can be held, tells the fences, and keeps it until it is killed.
import { holdables } from '../holdables.ts';
import { type ClientName, openLocks, type Place } from '../open-locks.ts';
import { asked, plan, tell } from './tell.ts';

interface Plan {
  readonly client: ClientName;
  readonly place: Place;
  readonly renewalLeaseMs: number;
}

const { client, place, renewalLeaseMs } = plan() as Plan;
const locks = await openLocks(client, place, { renewalLeaseMs });
for (const { kind, acquire } of holdables(locks)) tell(kind, { fence: (await acquire()).fence });
tell('ready');
await asked();
await locks.close();
tell('ended');
