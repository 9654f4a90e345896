// Takes a lock that is shared with a Spring registry, tells so, and keeps it until it is killed.
import { type ClientName, openLocks, type Place } from '../../faults/redis/open-locks.ts';
import { asked, plan, tell } from '../../faults/redis/programs/tell.ts';

interface Plan {
  readonly client: ClientName;
  readonly place: Place;
  readonly registryKey: string;
  readonly lockKey: string;
  readonly type: 'spin' | 'pubSub';
  readonly renewalLeaseMs: number;
}

const { client, place, registryKey, lockKey, type, renewalLeaseMs } = plan() as Plan;
const locks = await openLocks(client, place);
const hold = await locks.springLock(registryKey, lockKey, { type, renewalLeaseMs }).acquire();
tell('ready');
await asked();
await hold.release();
await locks.close();
tell('ended');
