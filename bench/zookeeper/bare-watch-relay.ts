import type { ZooKeeperClient } from '../../src/engines/zookeeper/client/zookeeper-client.ts';
import { holdFor } from '../hold-for.ts';
import { monotonicUs } from '../monotonic.ts';
import type { RelayEnd } from '../relay-end.ts';
import { openClient } from './open-client.ts';

export const BARE_WATCH_RELAY = 'a watch and a delete';
export const BARE_LIST_RELAY = 'a watch, a delete and a list';

/** The least that a hand-over can be made of: one process deletes a node, and another that watches it hears of that. */
export function bareWatchRelay(port: number): Promise<RelayEnd> {
  return relayOver('/bare-relay', port, async () => undefined);
}

/** What Curator does, and our lines where more than one ticket was ahead: the one that hears of it lists the line. */
export function bareListRelay(port: number): Promise<RelayEnd> {
  return relayOver('/bare-list-relay', port, (client) => client.getChildren('/'));
}

async function relayOver(
  node: string,
  port: number,
  look: (client: ZooKeeperClient) => Promise<unknown>,
): Promise<RelayEnd> {
  const client = await openClient(port);
  let entering: Promise<number> | undefined;
  return {
    hold: async () => void (await client.create(node, undefined, 'ephemeral')),
    ask: async () => {
      let heard: () => void = () => undefined;
      entering = new Promise((resolve, reject) => {
        heard = () => void look(client).then(() => resolve(monotonicUs()), reject);
      });
      await client.getData(node, () => heard());
    },
    letGo: async (afterMs) => {
      await holdFor(afterMs);
      const sinceUs = monotonicUs();
      await client.delete(node);
      return sinceUs;
    },
    entered: async () => (await entering) ?? Number.NaN,
    giveBack: async () => undefined,
  };
}
