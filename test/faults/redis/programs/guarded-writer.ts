// Holds a lock and writes to the register that it guards, every few milliseconds, each time after asking its hold.
// Tells what came of the first acts after this process stood still.
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
const STOOD_STILL_MS = 400;
const PERIOD_MS = 5;

const { client, place, renewalLeaseMs, name, registerPort } = plan() as Plan;
const locks = await openLocks(client, place, { renewalLeaseMs });
using register = await FencedRegister.open(registerPort);
const hold = await locks.lock(name).acquire();
const { fence } = hold;
// Taken out once: from here on the program does not ask the hold for it, so what it says it says by itself.
const { lost } = hold;
tell('held', { fence });

let writes = 0;
let lastAt = performance.now();
const acting = setInterval(() => {
  const now = performance.now();
  const stoodStill = now - lastAt > STOOD_STILL_MS;
  lastAt = now;
  if (stoodStill) {
    clearInterval(acting);
    tell('awake', { refusedBy: refusal() });
    // Behind all timers that were due: the end of the first turn of the loop.
    setImmediate(() => tell('end of first turn', { lost: lost.aborted }));
    return;
  }
  if (refusal() === undefined) void write();
}, PERIOD_MS);

await asked();
clearInterval(acting);
await locks.close();
tell('ended');

/** Why the hold refuses a guarded act; undefined if it does not. */
function refusal(): string | undefined {
  try {
    hold.throwIfLost();
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

async function write(): Promise<void> {
  writes += 1;
  const number = writes;
  if (await register.write(fence, number)) {
    if (number === 1) tell('writing');
  } else {
    tell('refused', { number });
  }
}
