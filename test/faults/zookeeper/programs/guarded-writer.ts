// Holds a lock and writes to the register that it guards, every few milliseconds, each time after asking its hold.
// Tells what came of the first acts after this process stood still.
import { systemClock, systemRandom } from '../../../../src/core/time/clock.ts';
import { openZooKeeper } from '../../../../src/engines/zookeeper/open-zookeeper.ts';
import { asked, plan, tell } from '../../redis/programs/tell.ts';
import { RemoteRegister } from './remote-register.ts';

interface Plan {
  readonly servers: string;
  readonly sessionMs: number;
  readonly name: string;
  readonly registerPort: number;
}

const PERIOD_MS = 5;

const { servers, sessionMs, name, registerPort } = plan() as Plan;
const locks = openZooKeeper({ servers, sessionMs }, { clock: systemClock, random: systemRandom });
const register = await RemoteRegister.open(registerPort);
const hold = await locks.lock(name).acquire();
const { fence } = hold;
// Taken out once: from here on the hold is not asked for it, so what it says it says by itself.
const { lost } = hold;
tell('held', { fence });

let writes = 0;
let lastAt = performance.now();
const acting = setInterval(() => {
  const now = performance.now();
  const stoodStill = now - lastAt > sessionMs;
  lastAt = now;
  if (stoodStill) {
    clearInterval(acting);
    tell('awake', { refusedBy: refusal() });
    // Behind all timers that were due: the end of the first turn of the loop.
    setImmediate(() => tell('end of first turn', { lost: lost.aborted }));
    // A program that never asks its hold: only the fence is left to refuse this one.
    void register.write(fence, -2).then((isAccepted) => tell('unguarded', { isAccepted }));
    return;
  }
  if (refusal() === undefined) void write();
}, PERIOD_MS);

await asked();
clearInterval(acting);
register.close();
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
  if ((await register.write(fence, number)) && number === 1) tell('writing');
}
