// Increments a fenced register under a lock, again and again, until the test stops it. Tells of its progress from time
// to time, and at the end what came of all attempts. An error that is not the library's ends this process.
import { isHoldfastError } from '../../../../src/index.ts';
import { FencedRegister } from '../fenced-register.ts';
import { type ClientName, openLocks, type Place } from '../open-locks.ts';
import { asked, plan, tell } from './tell.ts';

interface Plan {
  readonly client: ClientName;
  readonly place: Place;
  readonly name: string;
  readonly registerPort: number;
  readonly renewalLeaseMs: number;
}

const TELL_EVERY_MS = 100;

const { client, place, name, registerPort, renewalLeaseMs } = plan() as Plan;
const locks = await openLocks(client, place, { renewalLeaseMs, commandTimeoutMs: 1000 });
using register = await FencedRegister.open(registerPort);
let working = true;
let accepted = 0;
let refused = 0;
const errors: Record<string, number> = {};

const telling = setInterval(() => tell('progress', { accepted }), TELL_EVERY_MS);
const work = increment();
await asked();
working = false;
clearInterval(telling);
await work;
await locks.close();
tell('ended', { accepted, refused, errors });

async function increment(): Promise<void> {
  while (working) {
    try {
      await locks.lock(name).run(async ({ fence }) => {
        const value = await register.read(fence);
        if (value !== undefined && (await register.write(fence, value + 1))) accepted += 1;
        else refused += 1;
      });
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      errors[error.code] = (errors[error.code] ?? 0) + 1;
    }
  }
}
