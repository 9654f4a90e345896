import type { Unwatch } from '../../../spi/engine/protocol.ts';
import type { WatchEvent } from '../client/protocol/watch-event.ts';
import { ZooKeeperError } from '../client/protocol/zookeeper-error.ts';
import type { ZooKeeperClient } from '../client/zookeeper-client.ts';
import { hasCode } from '../explain-error.ts';

/**
 * Calls once when a node has gone. Undefined if it is not there.
 *
 * Reads the node to watch it. The tempting alternative asks whether the node exists: that leaves a watch behind on a node that is gone,
 * and no later node has its name.
 */
export async function watchNode(
  client: ZooKeeperClient,
  path: string,
  gone: () => void,
): Promise<Unwatch | undefined> {
  let isEnded = false;
  const end = (): void => {
    if (isEnded) return;
    isEnded = true;
    gone();
  };
  const place = async (): Promise<boolean> => {
    try {
      await client.getData(path, handleEvent);
      return true;
    } catch (error) {
      if (hasCode(error, 'NO_NODE')) return false;
      throw error;
    }
  };
  // The data of a node may change while it stands (a revocation of Curator's): the watch is used up by that.
  const again = async (): Promise<void> => {
    while (!isEnded) {
      try {
        if (!(await place())) end();
        return;
      } catch (error) {
        // A connection that broke meanwhile: the next request waits for the next one. Any other error is the end of the session.
        if (!(error instanceof ZooKeeperError) || error.code !== 'CONNECTION_LOSS') return;
      }
    }
  };
  const handleEvent = ({ type }: WatchEvent): void => {
    if (type === 'deleted') end();
    else if (type !== 'lost') void again();
  };
  if (!(await place())) return undefined;
  return () => {
    isEnded = true;
    // What cannot be removed goes with the node, or with the session.
    client.removeWatch(path, 'data', handleEvent).catch(() => undefined);
  };
}
