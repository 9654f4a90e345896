import { expect, test } from 'vitest';
import type { ZooKeeperClient } from '../../../../src/engines/zookeeper/client/zookeeper-client.ts';
import { ZooKeeperDocuments } from '../../../../src/engines/zookeeper/documents/zookeeper-documents.ts';
import type { ZooKeeperLiveness } from '../../../../src/engines/zookeeper/zookeeper-liveness.ts';

test('a watch of a document whose second half fails leaves nothing of the first', async () => {
  const watched: string[] = [];
  const client = {
    addWatch: async (path: string) => {
      if (watched.length === 1) throw new Error('the connection broke');
      watched.push(path);
    },
    removeWatch: async (path: string) => void watched.splice(watched.indexOf(path), 1),
  };
  const liveness = { client: () => client as unknown as ZooKeeperClient, whenResumed: new Set() };
  const documents = new ZooKeeperDocuments({
    liveness: liveness as unknown as ZooKeeperLiveness,
    label: 'zookeeper',
    access: [],
    root: '',
  });
  await expect(documents.watch('barrier', '/b', () => undefined)).rejects.toThrow('the connection broke');
  expect(watched).toEqual([]);
  expect(liveness.whenResumed.size).toBe(0);
  expect(documents.watching('barrier', '/b')).toBe(0);
});
