import type { EtcdClient } from '../../src/engines/etcd/client/session/etcd-client.ts';
import { holdFor } from '../hold-for.ts';
import { monotonicUs } from '../monotonic.ts';
import type { RelayEnd } from '../relay-end.ts';
import { openEtcdClient } from './open-client.ts';

export const WATCH_RELAY_OF_ETCD = 'a watch and a delete (etcd)';
export const LIST_RELAY_OF_ETCD = 'a watch, a delete and a list (etcd)';

/** The least that a hand-over can be made of: one process deletes a key, and another that watches it hears of that. */
export function watchRelayOfEtcd(port: number): Promise<RelayEnd> {
  return relayOver('/bare-relay', port, async () => undefined);
}

/**
 * The least of one with the revision that proves it: the one that hears of it lists the line, as Go reads its own key once more. The
 * revision of the delete is none: the lease of the one that waits may have ended behind it.
 */
export function listRelayOfEtcd(port: number): Promise<RelayEnd> {
  return relayOver('/bare-list-relay', port, (client, key) => client.range({ key, keysOnly: true }));
}

async function relayOver(
  name: string,
  port: number,
  look: (client: EtcdClient, key: Buffer) => Promise<unknown>,
): Promise<RelayEnd> {
  const client = await openEtcdClient(port);
  const key = Buffer.from(name);
  const lease = client.lease!.id;
  let entering: Promise<number> | undefined;
  return {
    hold: async () => void (await client.txn({ success: [{ requestPut: { key, lease } }] })),
    ask: async () => {
      let heard: () => void = () => undefined;
      entering = new Promise((resolve, reject) => {
        heard = () => void look(client, key).then(() => resolve(monotonicUs()), reject);
      });
      const watch = client.watch({ key, onEvents: () => heard(), onGap: () => undefined });
      await watch.ready;
      const end = (): void => watch.end();
      entering.then(end, end);
    },
    letGo: async (afterMs) => {
      await holdFor(afterMs);
      const sinceUs = monotonicUs();
      await client.txn({ success: [{ requestDeleteRange: { key } }] });
      return sinceUs;
    },
    entered: async () => (await entering) ?? Number.NaN,
    giveBack: async () => undefined,
  };
}
