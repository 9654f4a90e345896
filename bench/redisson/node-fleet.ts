import type { ClientName } from '../redis/connections.ts';
import { handsOf } from '../hands.ts';
import { holdfast, holdfastFair } from '../redis/libraries/holdfast.ts';
import { monotonicUs } from '../monotonic.ts';
import { sumOf } from '../shares.ts';
import type { Contest, Fleet } from './contest.ts';

/** Until all processes have heard when to start. */
const START_IN_US = 100_000;

/** Processes that use Holdfast with nothing set but the client. */
export async function nodeFleet(
  port: number,
  { kind, processes, workers, insideMs = 0 }: Contest,
  client: ClientName,
): Promise<Fleet> {
  const library = kind === 'fairLock' ? holdfastFair(client) : holdfast(client);
  const hands = handsOf(processes, 'workers', library.name, port);
  await Promise.all(hands.map((hand) => hand.call('ready')));
  return {
    round: async (roundMs) => {
      const fromUs = monotonicUs() + START_IN_US;
      const shift = { name: client, workers, fromUs, slots: 1, slotMs: roundMs, insideMs };
      const worked = await Promise.all(hands.map((hand) => hand.call('work', shift)));
      return sumOf(worked.flatMap(({ counts }) => counts.flat()));
    },
    close: async () => {
      for (const hand of hands) hand.letGo();
    },
  };
}
