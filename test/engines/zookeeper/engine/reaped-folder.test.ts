import { expect, test } from 'vitest';
import { openAccess } from '../../../../src/engines/zookeeper/client/protocol/access-rule.ts';
import { serverError } from '../../../../src/engines/zookeeper/client/protocol/zookeeper-error.ts';
import type { ZooKeeperClient } from '../../../../src/engines/zookeeper/client/zookeeper-client.ts';
import { ZooKeeperLine } from '../../../../src/engines/zookeeper/lines/zookeeper-line.ts';
import type { ZooKeeperLiveness } from '../../../../src/engines/zookeeper/zookeeper-liveness.ts';

const NO_NODE = -101;
const ID = '0867c787-9f58-8352-a2f8-dcf703074199';

test('a folder that the server removes before the ticket is made is made again', async () => {
  const nodes = new Set<string>();
  let reapings = 3;
  const client = {
    create: async (path: string, _data: unknown, mode: string) => {
      const folder = path.slice(0, path.lastIndexOf('/'));
      if (mode === 'ephemeral-sequential' && reapings-- > 0) nodes.delete(folder);
      if (folder !== '' && !nodes.has(folder)) throw serverError(NO_NODE, `create ${path}`);
      const made = mode === 'ephemeral-sequential' ? `${path}0000000000` : path;
      nodes.add(made);
      return { path: made, stat: { czxid: 5n } };
    },
    getChildren: async (folder: string) => ({
      names: [...nodes]
        .filter((node) => node.startsWith(`${folder}/`))
        .map((node) => node.slice(folder.length + 1)),
    }),
  } as unknown as ZooKeeperClient;
  const liveness = { client: () => client, session: '0x1' } as unknown as ZooKeeperLiveness;
  const line = new ZooKeeperLine({ liveness, label: 'zookeeper', access: openAccess, root: '' });
  const ask = { id: ID, session: '0x1', fences: 1, value: null };
  const joined = await line.join({ kind: 'lock', name: '/a/b' }, ask);
  expect(joined).toMatchObject({ kind: 'joined', fence: 5, listing: { tickets: [{ id: ID, order: 0 }] } });
});
