// Some workers that increment one number under one lock until it has reached a goal. The number is the last line of a file: each
// section reads it and appends what follows, in one write. Nothing but the lock keeps two sections from appending the same number.
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Hold } from '../../../src/index.ts';
import { etcd } from '../../../src/engines/etcd/index.ts';
import { asked, plan, tell } from '../../faults/redis/programs/tell.ts';
import type { EtcdFleetPlan } from '../etcd/etcd-fleet-plan.ts';

const LINE_BYTES = 64;
/** A fence of a lock is the revision, and a count of hand-overs behind it. */
const FENCES_OF_A_LOCK = 64n;
const { endpoints, sessionMs, kind, name, file, goal, workers, waitMs } = plan() as EtcdFleetPlan;
const locks = etcd({ endpoints, sessionMs });

const work = Array.from({ length: workers }, () => increment());
tell('working');
await Promise.all(work);
tell('done');
await asked();
await locks.close();
tell('ended');

async function increment(): Promise<void> {
  const lock = kind === 'lock' ? locks.lock(name) : locks.readWriteLock(name).write;
  for (let reached = 0; reached < goal;) {
    reached = await lock.run(section, { timeoutMs: waitMs });
  }
}

async function section(hold: Hold): Promise<number> {
  const descriptor = openSync(file, 'a+');
  try {
    const value = lastOf(descriptor);
    await nextTurn();
    hold.throwIfLost();
    const fence = kind === 'lock' ? hold.fence / FENCES_OF_A_LOCK : hold.fence;
    if (value < goal) writeSync(descriptor, `${value + 1} node ${fence}\n`);
    return value;
  } finally {
    closeSync(descriptor);
  }
}

function lastOf(descriptor: number): number {
  const { size } = fstatSync(descriptor);
  const tail = Buffer.alloc(Math.min(size, LINE_BYTES));
  readSync(descriptor, tail, 0, tail.length, size - tail.length);
  return Number(tail.toString().trimEnd().split('\n').at(-1)?.split(' ')[0] ?? 0);
}
