// Takes one of everything that Curator knows too, and keeps it until it is killed. When it has stood still for longer than its
// session it tells what it finds, and takes everything once more.
import { isHoldfastError } from '../../../src/index.ts';
import { asked, plan, tell } from '../../faults/redis/programs/tell.ts';
import { zookeeper } from '../../../src/engines/zookeeper/index.ts';
import type { NodeHold } from '../contenders.ts';
import { nodeSide, type Side } from '../curator/sides.ts';

interface Plan {
  readonly servers: string;
  readonly sessionMs: number;
  readonly held: readonly { readonly side: Side; readonly path: string }[];
}

const LOOK_MS = 20;
const { servers, sessionMs, held } = plan() as Plan;
const locks = zookeeper({ servers, sessionMs });

let holds = await takeAll();
tell('holds');
let lookedAt = Date.now();
const looking = setInterval(() => {
  const pausedMs = Date.now() - lookedAt;
  lookedAt = Date.now();
  // The session began to run out before the pause. On a busy machine a shorter pause is no end of it.
  if (pausedMs < sessionMs / 2) return;
  const lost = holds.filter((hold) => hold.lost.aborted).length;
  if (lost === 0) return;
  clearInterval(looking);
  void recover(lost);
}, LOOK_MS);
await asked();
await locks.close();
tell('ended');

async function takeAll(): Promise<readonly NodeHold[]> {
  return Promise.all(held.map(({ side, path }) => nodeSide(locks, side, path).acquire()));
}

async function recover(lost: number): Promise<void> {
  const codes = new Set(await Promise.all(holds.map(codeOfRelease)));
  tell('after a pause', { lost, codes: [...codes] });
  holds = await takeAll();
  tell('holds again');
}

async function codeOfRelease(hold: NodeHold): Promise<string> {
  try {
    await hold.release();
    return 'released';
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    return error.code;
  }
}
