import { libraryOf } from '../libraries.ts';
import { monotonicUs } from '../monotonic.ts';

/** Stands for a process that does nothing but turn its event loop, where others have the name of a library. */
export const NOTHING = 'an event loop that only turns';

/** A worker that acquires and releases the same lock as fast as it can, and measures how long its event loop stalls. */
export async function steady(library: string, port: number, folder: string) {
  const locker = library === NOTHING ? undefined : await libraryOf(library).open(port, folder);
  return {
    ready: async (): Promise<void> => undefined,

    /** The longest turn of the loop and the one with the most work in it, in milliseconds; and how many sections. */
    work: async (
      untilUs: number,
    ): Promise<{ readonly longestMs: number; readonly busiestMs: number; readonly sections: number }> => {
      let longestUs = 0;
      let busiestUs = 0;
      let sections = 0;
      const watching = (async () => {
        let before = monotonicUs();
        let worked = cpuUs();
        while (before < untilUs) {
          await new Promise((resolve) => setImmediate(resolve));
          const now = monotonicUs();
          longestUs = Math.max(longestUs, now - before);
          before = now;
          const all = cpuUs();
          busiestUs = Math.max(busiestUs, all - worked);
          worked = all;
        }
      })();
      while (locker !== undefined && monotonicUs() < untilUs) {
        await locker.loop('steady', 1);
        sections += 1;
      }
      await watching;
      return { longestMs: longestUs / 1000, busiestMs: busiestUs / 1000, sections };
    },
  };
}

/** Of all threads of this process. */
function cpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
