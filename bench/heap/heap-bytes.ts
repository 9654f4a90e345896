import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What is let go by a finalizer, or by the end of a turn, is gone only at the next collection. */
const COLLECTIONS = 3;

/** Bytes that are in use when all garbage has been collected, those outside of the heap included. */
export async function heapBytes(): Promise<number> {
  // From inside and not as an option of the process: whoever performs a trial is started without knowing which.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let done = 0; done < COLLECTIONS; done += 1) {
    collect();
    await nextTurn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
