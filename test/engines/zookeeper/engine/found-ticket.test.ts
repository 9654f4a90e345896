import { expect, test } from 'vitest';
import { openAccess } from '../../../../src/engines/zookeeper/client/protocol/access-rule.ts';
import { serverError } from '../../../../src/engines/zookeeper/client/protocol/zookeeper-error.ts';
import type { ZooKeeperClient } from '../../../../src/engines/zookeeper/client/zookeeper-client.ts';
import { ZooKeeperDocuments } from '../../../../src/engines/zookeeper/documents/zookeeper-documents.ts';
import { ZooKeeperLine } from '../../../../src/engines/zookeeper/lines/zookeeper-line.ts';
import type { ZooKeeperLiveness } from '../../../../src/engines/zookeeper/zookeeper-liveness.ts';

const CONNECTION_LOSS = -4;
const ID = '0867c787-9f58-8352-a2f8-dcf703074199';
const NODE = `_c_${ID}-lock-0000000007`;
const line = { kind: 'lock', name: '/a/b' };

/** A server whose follower shows what others have done only behind a `sync`. */
function openBehindFollower({
  owner = 1n,
  losesCreate,
}: { readonly owner?: bigint; readonly losesCreate?: number } = {}) {
  let isSynced = false;
  const created: string[] = [];
  const deleted: string[] = [];
  const stat = { czxid: 5n, ephemeralOwner: owner, version: 3, mzxid: 9n, pzxid: 0n };
  const client = {
    session: { id: 1n },
    sync: async () => {
      isSynced = true;
    },
    getChildren: async () => ({ names: isSynced ? [NODE] : [] }),
    getData: async () => ({ data: Buffer.from(JSON.stringify(isSynced ? 'new' : 'old')), stat }),
    exists: async () => stat,
    delete: async (path: string) => {
      deleted.push(path);
    },
    create: async (path: string) => {
      if (created.length === losesCreate) throw serverError(CONNECTION_LOSS, 'create');
      created.push(path);
      return { path: `${path}0000000003`, stat };
    },
  } as unknown as ZooKeeperClient;
  const liveness = { client: () => client, session: '0x1' } as unknown as ZooKeeperLiveness;
  const options = { liveness, label: 'zookeeper', access: openAccess, root: '' };
  return {
    tickets: new ZooKeeperLine(options),
    documents: new ZooKeeperDocuments(options),
    created,
    deleted,
  };
}

test('a ticket whose answer was lost is found at a follower that is behind', async () => {
  const { tickets } = openBehindFollower();
  expect(await tickets.find(line, ID)).toMatchObject({ kind: 'joined', fence: 5, ticket: { order: 7 } });
});

test('a ticket of another session is not taken for our own: the server is about to delete it', async () => {
  const { tickets } = openBehindFollower({ owner: 2n });
  expect(await tickets.find(line, ID)).toBeUndefined();
});

test('a join that was meant for a session before this one makes no ticket', async () => {
  const { tickets, created } = openBehindFollower();
  const ask = { id: ID, session: '0x0', fences: 1, value: null };
  await expect(tickets.join(line, ask)).rejects.toMatchObject({ code: 'ENGINE', retryable: true });
  expect(created).toEqual([]);
});

test('a ticket that was taken away, and whose next create stayed without an answer, is left by its id', async () => {
  const { tickets, deleted } = openBehindFollower({ losesCreate: 1 });
  const ask = { id: ID, session: '0x1', fences: 1, value: null };
  await tickets.join(line, ask);
  await expect(tickets.join(line, ask)).rejects.toMatchObject({ retryable: true });
  expect(await tickets.leave(line, ID)).toBe('left');
  expect(deleted).toEqual([`/a/b/${NODE}`]);
});

test('a document is read behind what any client has written', async () => {
  const { documents } = openBehindFollower();
  expect(await documents.read('barrier', 'a')).toMatchObject({ state: 'new', version: '5.3' });
});
