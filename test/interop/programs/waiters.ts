// Some who stand in the line of a fair lock, one after the other, until the process is killed.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ClientName, openLocks, type Place } from '../../faults/redis/open-locks.ts';
import { asked, plan, tell } from '../../faults/redis/programs/tell.ts';

interface Plan {
  readonly client: ClientName;
  readonly place: Place;
  readonly renewalLeaseMs: number;
  readonly name: string;
  readonly waiters: number;
}

const { client, place, renewalLeaseMs, name, waiters } = plan() as Plan;
const locks = await openLocks(client, place, { renewalLeaseMs });
for (let at = 0; at < waiters; at += 1) {
  void locks.fairLock(name).acquire();
  // Those who ask in the same turn of the loop would stand at one place.
  await nextTurn();
}
tell('ready');
await asked();
await locks.close();
tell('ended');
