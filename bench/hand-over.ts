import { Hand } from './hands.ts';
import { percentile } from './statistics.ts';
import type { TrialContestant } from './trial.ts';

/** Long enough for the other process to stand in line. */
const HELD_MS = 3;
/** Its multiples fall evenly between two milliseconds, however many there are: the golden ratio. */
const PHASE = (Math.sqrt(5) - 1) / 2;

/** For the compiler; the rest is done by the rounds that do not count. */
const WARM_UP_MS = { full: 4000, quick: 500 };

/** One process holds and lets go, another waits for it, again and again. */
export function handOver(name: string): TrialContestant {
  return {
    name,
    open: async (port, folder, speed) => {
      const first = new Hand('relay', name, port, folder);
      const second = new Hand('relay', name, port, folder);
      const forMs = WARM_UP_MS[speed];
      await Promise.all([first.call('warmUp', forMs), second.call('warmUp', forMs)]);
      return {
        round: async (roundMs) => {
          const start = performance.now();
          const handOversUs: number[] = [];
          while (performance.now() - start < roundMs) {
            await first.call('hold');
            await second.call('ask');
            // Before, and not once it was let go: a message wakes its loop up, and timers that were to wait go off with it.
            const entered = second.call('entered');
            await first.call('letGoSoon', HELD_MS + ((handOversUs.length * PHASE) % 1));
            const enteredUs = await entered;
            handOversUs.push(enteredUs - (await first.call('letGoAt')));
            await second.call('giveBack');
          }
          return {
            'p50 µs': percentile(handOversUs, 0.5),
            'p99 µs': percentile(handOversUs, 0.99),
            'hand-overs': handOversUs.length,
          };
        },
        close: async () => {
          first.letGo();
          second.letGo();
        },
      };
    },
  };
}

export const handOverColumns = [
  { figure: 'p50 µs', digits: 0 },
  { figure: 'p99 µs', digits: 0 },
  { figure: 'hand-overs', digits: 0 },
];
