import type { ZooKeeperClient } from '../../../src/engines/zookeeper/client/zookeeper-client.ts';

/** The tickets in some folders, in the order of their names. A folder that is not there has none. */
export async function ticketsIn(
  client: ZooKeeperClient,
  folders: readonly string[],
): Promise<readonly string[]> {
  const lists = await Promise.all(
    folders.map((folder) =>
      client.getChildren(folder).then(
        ({ names }) => names.map((name) => `${folder}/${name}`),
        (error: unknown) => {
          if ((error as { code?: string }).code === 'NO_NODE') return [];
          throw error;
        },
      ),
    ),
  );
  return lists.flat().toSorted();
}
