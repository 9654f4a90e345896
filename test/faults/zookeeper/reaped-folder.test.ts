import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { opCode } from '../../../src/engines/zookeeper/client/protocol/operation.ts';
import { openClient } from '../../engines/zookeeper/client/open-client.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { describeZooKeeper } from '../../fixtures/zookeeper/zookeeper-jars.ts';
import { startZooKeeper, type ZooKeeperServer } from '../../fixtures/zookeeper/zookeeper-server.ts';
import { holdables } from './holdables.ts';
import { openProxied } from './proxied-locks.ts';

/** Servers remove containers that have no children; the one here looks for them every second. */
describeZooKeeper('a folder that the server removes', { timeout: 30_000 }, () => {
  let server: ZooKeeperServer;
  beforeAll(async () => {
    server = await startZooKeeper();
  }, 60_000);
  afterAll(() => server?.stop());

  describe.each(holdables)('$kind', ({ kind, folders, acquire }) => {
    test('between two steps of an acquisition is made again, and the fence goes on from the one before', async () => {
      await using client = await openProxied([server]);
      const raw = openClient(server.address);
      const name = `/reaped/${kind}`;
      const before = await acquire(client.locks, name);
      await before.release();
      const held = client.proxy.holdRequests(opCode.create);
      const acquiring = acquire(client.locks, name);
      await waitFor('the create is on its way', () => held.count() > 0);
      const folder = name + folders.at(-1)!;
      await waitFor('the folder is gone', async () => (await raw.exists(folder)) === undefined);
      held.pass();
      const hold = await acquiring;
      // The numbers of the tickets begin at zero again; the fence is none of them.
      expect((await raw.getChildren(folder)).names.map((each) => each.slice(-10))).toContain('0000000000');
      expect(hold.fence).toBeGreaterThan(before.fence);
      await hold.release();
    });
  });
});
