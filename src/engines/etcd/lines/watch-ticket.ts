import type { Unwatch } from '../../../spi/engine/protocol.ts';
import { watchCreateRequestFilterType } from '../client/messages/etcd-messages.generated.ts';
import type { EtcdClient } from '../client/session/etcd-client.ts';
import type { TicketSight } from './line-sights.ts';

/**
 * Calls once when a ticket has gone. Undefined if it is gone already.
 *
 * The tempting alternative begins at the revision of the list, as the concurrency package does. A server whose history has gone on
 * serves such a watch from a loop of 100 ms until it has caught up: a hand-over took 88 ms in the middle, and 3 ms with a watch
 * from now on. What was missed in between is found by a read, and only if the history has gone on at all.
 */
export async function watchTicket(
  client: EtcdClient,
  { key: name, createRevision, seenAt }: TicketSight,
  gone: () => void,
): Promise<Unwatch | undefined> {
  const key = Buffer.from(name);
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    watch.end();
    gone();
  };
  const isThere = async (): Promise<boolean> => {
    const { kvs } = await client.range({ key, keysOnly: true });
    return kvs[0]?.createRevision === createRevision;
  };
  const look = async (): Promise<void> => {
    try {
      if (!(await isThere())) end();
    } catch {
      // A waiter that is called without cause lists the line again; one that is not called may wait without limit.
      end();
    }
  };
  const watch = client.watch({
    key,
    filters: [watchCreateRequestFilterType.NOPUT],
    onEvents: end,
    onGap: () => void look(),
    onOver: end,
  });
  const unwatch = (): void => {
    isOver = true;
    watch.end();
  };
  try {
    const watchedFrom = await watch.ready;
    if (watchedFrom <= seenAt || isOver || (await isThere())) return unwatch;
  } catch (error) {
    // No caller gets what would end the watch: it would go on over every connection, and call for a turn that watches anew.
    unwatch();
    throw error;
  }
  unwatch();
  return undefined;
}
