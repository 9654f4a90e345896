import { setTimeout as sleep } from 'node:timers/promises';
import { Hand } from '../../hands.ts';
import { monotonicUs } from '../../monotonic.ts';
import { percentile } from '../../statistics.ts';
import type { Trial, TrialContestant } from '../../trial.ts';
import { holdfastLibsql } from '../libraries/holdfast.ts';

/** Until the other process has joined the queue and knows the holder. */
const WAITING_MS = 50;
/** For the compiler. */
const WARM_UP_PAIRS = 1000;

/** One process holds and is killed, another waits for what it held. */
function contestant(name: string): TrialContestant {
  return {
    name,
    open: async (port, folder) => {
      const waiter = new Hand('relay', name, port, folder);
      for (let done = 0; done < WARM_UP_PAIRS; done += 1) {
        await waiter.call('hold');
        await waiter.call('giveBack');
      }
      return {
        round: async (roundMs) => {
          const start = performance.now();
          const takeoversUs: number[] = [];
          while (performance.now() - start < roundMs) {
            const holder = new Hand('relay', name, port, folder);
            await holder.call('hold');
            await waiter.call('ask');
            // Before, as in a hand-over: no message of ours may wake it up.
            const entered = waiter.call('entered');
            await sleep(WAITING_MS);
            const killed = holder.kill();
            const sinceUs = monotonicUs();
            takeoversUs.push((await entered) - sinceUs);
            await waiter.call('giveBack');
            await killed;
          }
          return {
            'p50 ms': percentile(takeoversUs, 0.5) / 1000,
            'longest ms': Math.max(...takeoversUs) / 1000,
            takeovers: takeoversUs.length,
          };
        },
        close: async () => waiter.letGo(),
      };
    },
  };
}

/** From the signal to the entry of the next, with a lease of thirty seconds. */
export const takeover: Trial = {
  name: 'takeover after SIGKILL',
  engine: 'sqlite',
  contestants: [contestant(holdfastLibsql.name)],
  columns: [
    { figure: 'p50 ms', digits: 1 },
    { figure: 'longest ms', digits: 1 },
    { figure: 'takeovers', digits: 0 },
  ],
  promises: [],
  pace: {
    full: { rounds: 5, warmUpRounds: 0, roundMs: 4000 },
    quick: { rounds: 1, warmUpRounds: 0, roundMs: 1000 },
  },
  story: {
    about:
      'The process that holds the lock is killed: the time from the signal to the entry of the next, although the lease had ' +
      'thirty seconds to go.',
    figure: 'p50 ms',
    better: 'less',
    ours: holdfastLibsql.name,
  },
};
