import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What a finalizer frees, or the end of a turn, is gone only at the next collection. */
const COLLECTIONS = 3;

/** Bytes that are in use when all garbage has been collected, those outside of the heap included. */
export async function heapBytes(): Promise<number> {
  // Set from inside and not as an option of the process: a performer starts before it knows its trial.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let done = 0; done < COLLECTIONS; done += 1) {
    collect();
    await nextTurn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
