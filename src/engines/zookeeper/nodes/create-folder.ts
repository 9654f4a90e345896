import type { AccessRule } from '../client/protocol/access-rule.ts';
import type { ZooKeeperClient } from '../client/zookeeper-client.ts';
import { hasCode } from '../explain-error.ts';
import { parentOf } from '../layout/node-path.ts';

/**
 * Makes a folder and those above it, from the lowest one that is there. Containers go again when their last child has gone, so
 * the caller repeats its own request, and this, until the request finds its folder.
 */
export async function createFolder(
  client: ZooKeeperClient,
  path: string,
  mode: 'container' | 'persistent',
  access: readonly AccessRule[],
): Promise<void> {
  for (;;) {
    try {
      await client.create(path, undefined, mode, access);
      return;
    } catch (error) {
      if (hasCode(error, 'NODE_EXISTS')) return;
      // Without a folder above it there is nothing to make: the chroot is missing.
      if (!hasCode(error, 'NO_NODE') || parentOf(path) === '/') throw error;
      await createFolder(client, parentOf(path), mode, access);
    }
  }
}
