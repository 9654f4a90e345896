// Holds a lock and writes to the register that it guards, as guarded-writing.ts says.
import { systemClock, systemRandom } from '../../../../src/core/time/clock.ts';
import { openZooKeeper } from '../../../../src/engines/zookeeper/open-zookeeper.ts';
import { writeGuarded } from '../../guarded-writing.ts';
import { asked, plan, tell } from '../../redis/programs/tell.ts';
import { RemoteRegister } from './remote-register.ts';

interface Plan {
  readonly servers: string;
  readonly sessionMs: number;
  readonly name: string;
  readonly registerPort: number;
}

const { servers, sessionMs, name, registerPort } = plan() as Plan;
const locks = openZooKeeper({ servers, sessionMs }, { clock: systemClock, random: systemRandom });
const register = await RemoteRegister.open(registerPort);
const hold = await locks.lock(name).acquire();
const end = writeGuarded({
  hold,
  register,
  stoppedForMs: sessionMs,
  onAwake: (fence) => {
    // A program that never asks its hold: only the fence is left to refuse this one.
    void register.write(fence, -2).then((isAccepted) => tell('unguarded', { isAccepted }));
  },
});

await asked();
end();
register.close();
await locks.close();
tell('ended');
