// Takes one of everything that Java knows too, tells so, and keeps it until it is killed.
import { type ClientName, openLocks, type Place } from '../../faults/redis/open-locks.ts';
import { asked, plan, tell } from '../../faults/redis/programs/tell.ts';
import { nodeSide, type Side } from '../redisson/sides.ts';

interface Plan {
  readonly client: ClientName;
  readonly place: Place;
  readonly renewalLeaseMs: number;
  readonly held: readonly { readonly side: Side; readonly name: string }[];
}

const { client, place, renewalLeaseMs, held } = plan() as Plan;
const locks = await openLocks(client, place, { renewalLeaseMs });
for (const { side, name } of held) await nodeSide(locks, side, name).acquire();
tell('ready');
await asked();
await locks.close();
tell('ended');
