import type { TrialContestant } from '../trial.ts';
import { heapBytes } from './heap-bytes.ts';
import { measured, type Opened, type Thrifty } from './thrifty.ts';

export const HELD = 10_000;
/** The same few again and again: what a library keeps of many that were given back would be missing in the difference. */
const WARM_UP = 100;
const WARM_UPS = 20;
const AT_ONCE = 100;

/** Holds this many locks of different names in one process. */
export function heldLocks(library: Thrifty): TrialContestant {
  return measured(
    library,
    async (opened) => {
      for (let done = 0; done < WARM_UPS; done += 1) await giveBack(opened, await takeAll(opened, WARM_UP));
    },
    async (opened) => {
      const before = await heapBytes();
      const holds = await takeAll(opened, HELD);
      const after = await heapBytes();
      await giveBack(opened, holds);
      return (after - before) / HELD;
    },
  );
}

async function takeAll({ lock }: Opened, count: number): Promise<object[]> {
  const holds: object[] = [];
  let taken = 0;
  const take = async (): Promise<void> => {
    while (taken < count) holds.push(await lock(`held-${taken++}`)());
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
  return holds;
}

async function giveBack(opened: Opened, holds: readonly object[]): Promise<void> {
  let given = 0;
  const give = async (): Promise<void> => {
    for (let hold = holds[given++]; hold !== undefined; hold = holds[given++]) await opened.giveBack(hold);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, give));
}
