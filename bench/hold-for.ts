import { setTimeout as sleep } from 'node:timers/promises';

const nothing = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/**
 * Keeps a section open for whole milliseconds by a timer, and blocks the thread for the rest of one.
 *
 * The tempting alternative is a timer alone. A waiter that polls every millisecond began to poll a moment before the section,
 * so that whole milliseconds later its timer fires together with the holder's, and it is nearly always just in time. A real
 * section ends with its work, at a moment that no timer of another process knows.
 */
export async function holdFor(ms: number): Promise<void> {
  await sleep(Math.floor(ms));
  Atomics.wait(nothing, 0, 0, ms % 1);
}
