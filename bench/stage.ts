import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { asked } from './asked.ts';
import { measureRound } from './round.ts';
import type { Contestant, Scenario } from './scenario.ts';

/** Where contestants perform. */
export interface Stage {
  rate(scenario: Scenario, contestant: Contestant, roundMs: number): Promise<number>;
  close(): Promise<void>;
}

/** All in this process: for tests of the runner. */
export function sharedStage(now: () => number): Stage {
  return {
    rate: async (scenario, contestant, roundMs) => {
      const bout = await contestant.open();
      const rate = await measureRound(scenario, bout, roundMs, now);
      await bout.close();
      return rate;
    },
    close: async () => {},
  };
}

/**
 * A process for each contestant in each scenario, kept over all rounds. In one process the compiler would see them all:
 * what one contestant, or another scenario of the same one, teaches it about a shared function slows the next.
 */
export function ownProcesses(): Stage {
  const performers = new Map<string, ChildProcess>();
  return {
    rate: (scenario, contestant, roundMs) => {
      const key = `${scenario.name}/${contestant.name}`;
      const known = performers.get(key);
      const performer =
        known ??
        fork(fileURLToPath(new URL('./performer.js', import.meta.url)), [scenario.name, contestant.name]);
      performers.set(key, performer);
      return asked<number>(performer, roundMs);
    },
    close: async () => {
      for (const performer of performers.values()) performer.disconnect();
    },
  };
}
