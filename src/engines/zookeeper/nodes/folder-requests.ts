import type { ZooKeeperClient } from '../client/zookeeper-client.ts';
import { hasCode } from '../explain-error.ts';

/** None for a folder that is not there: containers come and go with their children. */
export async function childrenOf(client: ZooKeeperClient, folder: string): Promise<readonly string[]> {
  try {
    return (await client.getChildren(folder)).names;
  } catch (error) {
    if (hasCode(error, 'NO_NODE')) return [];
    throw error;
  }
}

/**
 * Shows what the leader had carried out before, also at a follower that is behind it. A leader that is asked itself answers before it has
 * carried out a change that its followers may already show: then a single attempt is refused for a ticket that has just gone.
 */
export async function syncedChildrenOf(client: ZooKeeperClient, folder: string): Promise<readonly string[]> {
  const [, nodes] = await Promise.all([client.sync(folder), childrenOf(client, folder)]);
  return nodes;
}

export async function deleteIfThere(client: ZooKeeperClient, path: string): Promise<boolean> {
  try {
    await client.delete(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'NO_NODE')) return false;
    throw error;
  }
}
