import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TrialContestant } from '../trial.ts';
import { heapBytes } from './heap-bytes.ts';
import { measured, type Opened, type Thrifty } from './thrifty.ts';

export const WAITING = 10_000;
const WARM_UP = 1000;

/** This many waiters of one process for one lock that the same process holds. The promise of each waiter counts. */
export function waiting(library: Thrifty): TrialContestant {
  return measured(
    library,
    (opened) => bytesOf(opened, WARM_UP),
    (opened) => bytesOf(opened, WAITING),
  );
}

async function bytesOf({ lock, giveBack }: Opened, count: number): Promise<number> {
  const take = lock('awaited');
  const first = await take();
  const before = await heapBytes();
  const waiters: Promise<object>[] = [];
  for (let asked = 0; asked < count; asked += 1) waiters.push(take());
  await nextTurn();
  const after = await heapBytes();
  await giveBack(first);
  for (const waiter of waiters) await giveBack(await waiter);
  return (after - before) / count;
}
