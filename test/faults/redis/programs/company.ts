// Asks for a fair lock several times in one turn, and tells when the first of them is in. It keeps what it gets.
import { type ClientName, openLocks, type Place } from '../open-locks.ts';
import { asked, plan, tell } from './tell.ts';

interface Plan {
  readonly client: ClientName;
  readonly place: Place;
  readonly renewalLeaseMs: number;
  readonly name: string;
  readonly count: number;
}

const { client, place, renewalLeaseMs, name, count } = plan() as Plan;
const locks = await openLocks(client, place, { renewalLeaseMs });
const all = Array.from({ length: count }, () => locks.fairLock(name).acquire());
void Promise.allSettled(all);
await all[0];
tell('in');
await asked();
await locks.close();
