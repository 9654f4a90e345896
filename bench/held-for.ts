import { setTimeout as sleep } from 'node:timers/promises';

const nothing = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/**
 * For so many milliseconds and the part of one that is left over.
 *
 * A timer alone will not do. Whoever asks every millisecond began to ask a moment before, so that whole milliseconds
 * later its timer goes off at about the same time as the holder's, and it was nearly always just in time. A section ends
 * when its work is done, and no timer of another process knows when that is.
 */
export async function heldFor(ms: number): Promise<void> {
  await sleep(Math.floor(ms));
  Atomics.wait(nothing, 0, 0, ms % 1);
}
