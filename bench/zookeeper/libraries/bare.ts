import type { ZooKeeperClient } from '../../../src/engines/zookeeper/client/zookeeper-client.ts';
import { memoized } from '../../memoized.ts';
import type { Library } from '../../library.ts';
import { openClient } from '../open-client.ts';

/** Each ticket has another id, as those of a lock have. */
const IDS = 256;
/** As long as what the engine writes into its tickets. */
const DATA = Buffer.from('holdfast fences=65');

/** The folder of the tickets, and what their names begin with. */
interface BareLine {
  readonly folder: string;
  readonly prefixes: readonly string[];
}

/**
 * The floor: a ticket is created and its line listed in one round trip, and the ticket is deleted in another. It does not look
 * at the list, and waits for no ticket ahead.
 */
export const bare: Library = {
  name: 'create + list, delete',
  open: async (port) => {
    const client = await openClient(port);
    const lineOf = memoized((name) => madeLine(client, `/bare-${name}`));
    let turn = 0;
    const take = async ({ folder, prefixes }: BareLine): Promise<string> => {
      turn = (turn + 1) % IDS;
      const [{ path }] = await Promise.all([
        client.create(prefixes[turn]!, DATA, 'ephemeral-sequential'),
        client.getChildren(folder),
      ]);
      return path;
    };
    return {
      loop: async (name, pairs) => {
        const line = await lineOf(name);
        for (let done = 0; done < pairs; done += 1) await client.delete(await take(line));
      },
      acquire: async (name) => {
        const path = await take(await lineOf(name));
        return () => client.delete(path);
      },
      close: () => client.close(),
    };
  },
};

/** Persistent, where the engine has a container: the server removes an empty one, and the floor does not make it again. */
async function madeLine(client: ZooKeeperClient, folder: string): Promise<BareLine> {
  await client.create(folder);
  const prefixes = Array.from({ length: IDS }, () => `${folder}/_c_${crypto.randomUUID()}-lock-`);
  return { folder, prefixes };
}
