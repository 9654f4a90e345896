import { heldFor } from '../held-for.ts';
import { monotonicUs } from '../monotonic.ts';
import type { RelayEnd } from '../relay-end.ts';
import { openClient } from './open-client.ts';

export const BARE_WATCH_RELAY = 'a watch and a delete';

const NODE = '/bare-relay';

/** The least that a hand-over can be made of: one process deletes a node, and another that watches it hears of that. */
export async function bareWatchRelay(port: number): Promise<RelayEnd> {
  const client = await openClient(port);
  let entering: Promise<number> | undefined;
  return {
    hold: async () => void (await client.create(NODE, undefined, 'ephemeral')),
    ask: async () => {
      let heard: () => void = () => undefined;
      entering = new Promise((resolve) => {
        heard = () => resolve(monotonicUs());
      });
      await client.getData(NODE, () => heard());
    },
    letGo: async (afterMs) => {
      await heldFor(afterMs);
      const sinceUs = monotonicUs();
      await client.delete(NODE);
      return sinceUs;
    },
    entered: async () => (await entering) ?? Number.NaN,
    giveBack: async () => undefined,
  };
}
