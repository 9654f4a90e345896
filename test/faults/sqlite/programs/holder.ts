// Takes a lock and keeps it until it is asked to end, killed or stopped. Tells when its hold is lost.
import { sqlite } from '../../../../src/engines/sqlite/index.ts';
import { asked, plan, tell } from '../../redis/programs/tell.ts';

interface Plan {
  readonly file: string;
  readonly name: string;
  readonly renewalLeaseMs: number;
}

const { file, name, renewalLeaseMs } = plan() as Plan;
const locks = sqlite({ file, renewalLeaseMs });
const hold = await locks.lock(name).acquire();
hold.lost.addEventListener('abort', () => tell('lost'));
tell('held', { fence: hold.fence });
await asked();
await locks.close();
tell('ended');
