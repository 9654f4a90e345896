import type { Unwatch } from '../../../spi/engine/protocol.ts';
import type { WatchEvent } from '../client/protocol/watch-event.ts';
import type { ZooKeeperClient } from '../client/zookeeper-client.ts';
import type { ZooKeeperLiveness } from '../zookeeper-liveness.ts';

/**
 * Calls after every change of a folder and of the nodes in it, also while the folder is not there. The server tells nothing of
 * what happened between two connections, so it is called once after each gap.
 */
export async function watchFolder(
  client: ZooKeeperClient,
  liveness: ZooKeeperLiveness,
  folder: string,
  changed: () => void,
  /** Only this; every change if it is missing. */
  only?: WatchEvent['type'],
): Promise<Unwatch> {
  const handleEvent = ({ type }: WatchEvent): void => {
    // Removed at the server together with the watch of another listener of this folder.
    if (type === 'unwatched') client.addWatch(folder, 'recursive', handleEvent).catch(() => undefined);
    if (type !== 'lost' && (only === undefined || type === only || type === 'unwatched')) changed();
  };
  liveness.whenResumed.add(changed);
  try {
    await client.addWatch(folder, 'recursive', handleEvent);
  } catch (error) {
    liveness.whenResumed.delete(changed);
    throw error;
  }
  return () => {
    liveness.whenResumed.delete(changed);
    client.removeWatch(folder, 'recursive', handleEvent).catch(() => undefined);
  };
}
