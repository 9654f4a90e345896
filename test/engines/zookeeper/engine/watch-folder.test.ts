import { expect, test } from 'vitest';
import type { ZooKeeperClient } from '../../../../src/engines/zookeeper/client/zookeeper-client.ts';
import { watchFolder } from '../../../../src/engines/zookeeper/nodes/watch-folder.ts';
import type { ZooKeeperLiveness } from '../../../../src/engines/zookeeper/zookeeper-liveness.ts';

test('a folder is looked at after each gap: the server tells nothing of what happened meanwhile', async () => {
  const client = { addWatch: async () => undefined, removeWatch: async () => undefined };
  const whenResumed = new Set<() => void>();
  const liveness = { whenResumed } as unknown as ZooKeeperLiveness;
  let calls = 0;
  const unwatch = await watchFolder(client as unknown as ZooKeeperClient, liveness, '/a', () => {
    calls += 1;
  });
  for (const resume of whenResumed) resume();
  expect(calls).toBe(1);
  unwatch();
  expect(whenResumed.size).toBe(0);
});
