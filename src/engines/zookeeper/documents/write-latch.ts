import type { AccessRule } from '../client/protocol/access-rule.ts';
import type { MultiStep, ZooKeeperClient } from '../client/zookeeper-client.ts';
import { createFolder } from '../nodes/create-folder.ts';
import { hasCode } from '../explain-error.ts';
import type { LatchData } from '../layout/latch-data.ts';
import { parentOf } from '../layout/node-path.ts';

/** Where the two nodes of a latch are. */
export interface LatchPaths {
  readonly count: string;
  readonly memory: string;
}

/**
 * Writes both nodes of a latch or neither: if the count has the expected version; undefined: if there is no count.
 *
 * The version of the count guards both. A client reads the count first and the memory behind it, so that what it remembers is at least
 * as new as the count: a copy of a request finds itself remembered, or its write finds another version.
 */
export async function writeLatch(
  client: ZooKeeperClient,
  paths: LatchPaths,
  version: number | undefined,
  data: LatchData,
  access: readonly AccessRule[],
): Promise<'written' | 'conflict'> {
  const created = (path: string, bytes: Buffer): MultiStep => ({ type: 'create', path, data: bytes, access });
  const count: MultiStep =
    version === undefined
      ? created(paths.count, data.count)
      : { type: 'set', path: paths.count, data: data.count, version };
  for (let hasMemory = version !== undefined; ;) {
    const memory: MultiStep = hasMemory
      ? { type: 'set', path: paths.memory, data: data.memory }
      : created(paths.memory, data.memory);
    try {
      await client.multi([count, memory]);
      return 'written';
    } catch (error) {
      if (hasCode(error, 'BAD_VERSION')) return 'conflict';
      if (hasCode(error, 'NODE_EXISTS')) {
        // Of the memory if that was to be created: a latch that an operator has deleted leaves it behind.
        if (hasMemory) return 'conflict';
        hasMemory = true;
      } else if (hasCode(error, 'NO_NODE')) {
        if (version !== undefined && (await client.exists(paths.count)) === undefined) return 'conflict';
        for (const path of [paths.count, paths.memory])
          await createFolder(client, parentOf(path), 'persistent', access);
        hasMemory = (await client.exists(paths.memory)) !== undefined;
      } else throw error;
    }
  }
}
