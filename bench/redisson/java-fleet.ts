import { Jvm } from '../jvm.ts';
import type { Contest, Fleet } from './contest.ts';

/** Until all processes have heard when to start. */
const START_IN_MS = 100;

/** Processes that use Redisson with nothing set but the address, see test/interop/java. */
export async function javaFleet(port: number, { processes, workers, kind }: Contest): Promise<Fleet> {
  const plan = [{ place: { port } }];
  const all = await Promise.all(Array.from({ length: processes }, () => Jvm.start('redisson-4', plan)));
  return {
    round: async (roundMs) => {
      const fromMs = Date.now() + START_IN_MS;
      const shift = {
        task: 'pairs',
        kind,
        name: 'java',
        threads: workers,
        fromMs,
        untilMs: fromMs + roundMs,
      };
      const counts = await Promise.all(all.map((jvm) => jvm.ask<number[]>(shift)));
      return counts.flat().reduce((sum, count) => sum + count, 0);
    },
    close: async () => {
      for (const jvm of all) jvm.close();
    },
  };
}
