import type { TrialContestant } from '../../trial.ts';
import { handsOf } from '../../hands.ts';
import { monotonicUs } from '../../monotonic.ts';
import { evenness, sumOf } from '../../shares.ts';

/** Until all processes have heard when to end. */
const START_IN_US = 50_000;

/**
 * One message that goes round several processes, with no lock at all: no lock can hand over more sections than this from one
 * process to the next, one by one.
 */
export function ringOf(places: number): TrialContestant {
  return {
    name: `a message handed round ${places} processes, and nothing else`,
    open: async (port) => {
      const { Redis } = await import('ioredis');
      const hands = handsOf(places, 'ring', 'ioredis 5', port);
      const client = new Redis(port);
      return {
        round: async (roundMs) => {
          const fromUs = monotonicUs() + START_IN_US;
          const untilUs = fromUs + roundMs * 1000;
          await Promise.all(hands.map((hand, place) => hand.call('stand', { place, places, untilUs })));
          await client.publish('ring 0', '0');
          const sinceUs = monotonicUs();
          const passed = await Promise.all(hands.map((hand) => hand.call('passed', untilUs)));
          return {
            'sections/s': (sumOf(passed) / (untilUs - sinceUs)) * 1_000_000,
            'least share of a process in 2 s': 1,
            'CV of the workers': evenness(passed),
          };
        },
        close: async () => {
          client.disconnect();
          for (const hand of hands) hand.letGo();
        },
      };
    },
  };
}
