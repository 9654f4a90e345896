import { setTimeout as sleep } from 'node:timers/promises';
import { libraryOf } from '../libraries.ts';
import { monotonicUs } from '../monotonic.ts';

export interface Shift {
  readonly name: string;
  readonly workers: number;
  /** On the clock that all processes share. */
  readonly fromUs: number;
  readonly slots: number;
  readonly slotMs: number;
  /** How long each of them is inside, by a timer: a loop that only turns would measure which worker gets a processor. */
  readonly insideMs: number;
}

/** How many sections each worker had in each slot of time, and how many there were after the last slot. */
export interface Worked {
  readonly counts: readonly (readonly number[])[];
  readonly late: number;
}

/** Workers that want one lock again as soon as they have released it. */
export async function workers(library: string, port: number, folder: string) {
  const locker = await libraryOf(library).open(port, folder);
  return {
    ready: async (): Promise<void> => undefined,

    work: async ({ name, workers: count, fromUs, slots, slotMs, insideMs }: Shift): Promise<Worked> => {
      const untilUs = fromUs + slots * slotMs * 1000;
      await sleep(Math.max(0, (fromUs - monotonicUs()) / 1000));
      let inside = 0;
      let late = 0;
      const workOne = async (): Promise<number[]> => {
        const counts = Array.from({ length: slots }, () => 0);
        while (monotonicUs() < untilUs) {
          const release = await locker.acquire(name);
          if (++inside > 1) throw new Error(`${library} let in two at once`);
          const slot = Math.floor((monotonicUs() - fromUs) / (slotMs * 1000));
          if (slot >= slots) late += 1;
          else if (slot >= 0) counts[slot] = (counts[slot] ?? 0) + 1;
          if (insideMs > 0) await sleep(insideMs);
          inside -= 1;
          await release();
        }
        return counts;
      };
      const counts = await Promise.all(Array.from({ length: count }, workOne));
      return { counts, late };
    },
  };
}
