import { Jvm } from '../jvm.ts';
import type { Contest, Fleet } from './contest.ts';

/** Until all processes have heard when to start. */
const START_IN_MS = 100;

/** How Redisson is used. */
export interface JavaStyle {
  readonly name: string;
  /** `lockAsync` and `unlockAsync`, and no thread that waits. */
  readonly async: boolean;
  /** Four threads of each kind and one connection to begin with, where Redisson makes 16, 32 and 24 by itself. */
  readonly tuned: boolean;
}

export const javaStyles: readonly JavaStyle[] = [
  { name: 'Redisson', async: false, tuned: false },
  { name: 'Redisson, asynchronous', async: true, tuned: false },
  { name: 'Redisson, tuned', async: false, tuned: true },
  { name: 'Redisson, asynchronous and tuned', async: true, tuned: true },
];

/** Processes that use Redisson with nothing set but the address and what the style says, see test/interop/java. */
export async function javaFleet(
  port: number,
  { processes, workers, kind, insideMs = 0 }: Contest,
  { async, tuned }: JavaStyle,
): Promise<Fleet> {
  const plan = [{ place: { port }, fewConnections: tuned }];
  const all = await Promise.all(Array.from({ length: processes }, () => Jvm.start('redisson-4', plan)));
  return {
    round: async (roundMs) => {
      const fromMs = Date.now() + START_IN_MS;
      const shift = {
        task: 'pairs',
        kind,
        async,
        insideMs,
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
