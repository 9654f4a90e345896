// Increments a register under a lock until it is asked to end, and tells how many of its increments were accepted.
import { etcd } from '../../../../src/engines/etcd/index.ts';
import { isHoldfastError } from '../../../../src/index.ts';
import { asked, plan, tell } from '../../redis/programs/tell.ts';
import { RemoteRegister } from '../../zookeeper/programs/remote-register.ts';

interface Plan {
  readonly endpoints: string;
  readonly sessionMs: number;
  readonly name: string;
  readonly registerPort: number;
}

const { endpoints, sessionMs, name, registerPort } = plan() as Plan;
const locks = etcd({ endpoints, sessionMs });
const register = await RemoteRegister.open(registerPort);
const lock = locks.lock(name);
let accepted = 0;
let isOver = false;

const working = work();
await asked();
isOver = true;
await working;
register.close();
await locks.close();
tell('ended', { accepted });

async function work(): Promise<void> {
  while (!isOver) {
    try {
      await lock.run(
        async (hold) => {
          const value = await register.read(hold.fence);
          if (value === undefined) return;
          hold.throwIfLost();
          if (!(await register.write(hold.fence, value + 1))) return;
          accepted += 1;
          tell('progress', { accepted });
        },
        { timeoutMs: 5000 },
      );
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
