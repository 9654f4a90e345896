import type { Library } from '../../library.ts';
import { openEtcdClient } from '../open-client.ts';

/** Each ticket has another id, as those of a lock have. */
const IDS = 256;
/** As long as what the engine writes into its tickets. */
const VALUE = Buffer.from('holdfast fences=65 at=1700000000000');
const BY_CREATE_REVISION = { sortOrder: 1, sortTarget: 2, keysOnly: true };

/**
 * The floor: a key is put under the lease if it is absent and its line listed in one transaction, and the key is deleted in another. It does not
 * look at the list, and waits for no key ahead.
 */
export const bareTransactions: Library = {
  name: 'put + list, delete',
  open: async (port) => {
    const client = await openEtcdClient(port);
    const lease = client.lease!.id;
    let turn = 0;
    const take = async (name: string): Promise<Buffer> => {
      turn = (turn + 1) % IDS;
      const prefix = Buffer.from(`/bare/${name}/`);
      const key = Buffer.from(`/bare/${name}/${lease.toString(16)}-${'0'.repeat(32)}:${turn}`);
      const list = { key: prefix, rangeEnd: Buffer.from(`/bare/${name}0`), ...BY_CREATE_REVISION };
      await client.txn({
        compare: [{ target: 1, key, createRevision: 0n }],
        success: [{ requestPut: { key, value: VALUE, lease } }, { requestRange: list }],
      });
      return key;
    };
    const drop = (key: Buffer) => client.txn({ success: [{ requestDeleteRange: { key } }] });
    return {
      loop: async (name, pairs) => {
        for (let done = 0; done < pairs; done += 1) await drop(await take(name));
      },
      acquire: async (name) => {
        const key = await take(name);
        return () => drop(key);
      },
      close: () => client.close(),
    };
  },
};
