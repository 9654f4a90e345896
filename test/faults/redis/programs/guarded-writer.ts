// Holds a lock and writes to the register that it guards, as guarded-writing.ts says.
import { writeGuarded } from '../../guarded-writing.ts';
import { FencedRegister } from '../fenced-register.ts';
import { type ClientName, openLocks, type Place } from '../open-locks.ts';
import { asked, plan, tell } from './tell.ts';

interface Plan {
  readonly client: ClientName;
  readonly place: Place;
  readonly renewalLeaseMs: number;
  readonly name: string;
  readonly registerPort: number;
}

/** Less than what is left of the lease when the test stops us, and more than a loaded machine leaves a timer alone. */
const STOPPED_FOR_MS = 400;

const { client, place, renewalLeaseMs, name, registerPort } = plan() as Plan;
const locks = await openLocks(client, place, { renewalLeaseMs });
using register = await FencedRegister.open(registerPort);
const hold = await locks.lock(name).acquire();
const end = writeGuarded({ hold, register, stoppedForMs: STOPPED_FOR_MS });

await asked();
end();
await locks.close();
tell('ended');
