// Waits for one of everything that can be held at once, and tells when it gets in and with which fence.
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
const all = holdables(locks);
let contended = 0;
locks.on('contended', () => {
  contended += 1;
  if (contended === all.length) tell('waiting');
});
await Promise.all(all.map(async ({ kind, acquire }) => tell(kind, { fence: (await acquire()).fence })));
await asked();
await locks.close();
tell('ended');
