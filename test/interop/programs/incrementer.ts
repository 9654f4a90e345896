// Some workers that increment one number under one lock until it has reached a goal: each reads it, and writes what
// follows together with a record of who wrote it, in one transaction. Nothing but the lock keeps two from writing the
// same number. One that reads looks whether the number stands still.
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type Hold, isHoldfastError, type Lock, type Synchronizers } from '../../../src/index.ts';
import { type ClientName, openLocks } from '../../faults/redis/open-locks.ts';
import { asked, plan, tell } from '../../faults/redis/programs/tell.ts';
import type { FleetPlan } from '../fleet/fleet-plan.ts';

const { client, port, kind, name, goal, workers, readers, pauseMs, leaseMs, fairWaitMs } =
  plan() as FleetPlan & { readonly client: ClientName };
const locks = await openLocks(client, { port }, { renewalLeaseMs: leaseMs, fairLockWaitMs: fairWaitMs });
const data = new Redis(port);
const lost: Record<string, number> = {};

const work = Array.from({ length: workers }, (_, at) => (at < readers ? read() : increment()));
tell('working');
const outcome = await Promise.race([Promise.all(work).then(() => 'done'), asked().then(() => 'stopped')]);
if (outcome === 'done') tell('done', { lost });
await asked();
await locks.close();
data.disconnect();
tell('ended');

async function increment(): Promise<void> {
  const lock = lockOf(locks);
  for (let reached = 0; reached < goal;) {
    reached = await guarded(lock, async (hold) => {
      const value = await valueNow();
      hold.throwIfLost();
      if (value < goal) {
        const record = `${value + 1} ${hold.fence} node`;
        await data
          .multi()
          .set(`${name}:value`, value + 1)
          .rpush(`${name}:records`, record)
          .exec();
      }
      return value;
    });
  }
}

async function read(): Promise<void> {
  const lock = locks.readWriteLock(name).read;
  for (let reached = 0; reached < goal;) {
    await sleep(pauseMs);
    reached = await guarded(lock, async (hold) => {
      const first = await valueNow();
      const second = await valueNow();
      if (first !== second && hold.remainingMs > 0)
        await data.rpush(`${name}:torn`, `node ${first} ${second}`);
      return second;
    });
  }
}

/** A hold that was lost is taken again; anything that is not the library's ends this process. */
async function guarded(lock: Lock, act: (hold: Hold) => Promise<number>): Promise<number> {
  try {
    return await lock.run(act);
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    lost[error.code] = (lost[error.code] ?? 0) + 1;
    return 0;
  }
}

function lockOf(all: Synchronizers): Lock {
  if (kind === 'fairLock') return all.fairLock(name);
  return kind === 'writeLock' ? all.readWriteLock(name).write : all.lock(name);
}

async function valueNow(): Promise<number> {
  return Number((await data.get(`${name}:value`)) ?? 0);
}
