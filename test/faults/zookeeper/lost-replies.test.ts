import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../../fixtures/wait-for.ts';
import { describeZooKeeper } from '../../fixtures/zookeeper/zookeeper-jars.ts';
import { startZooKeeper, type ZooKeeperServer } from '../../fixtures/zookeeper/zookeeper-server.ts';
import { opCode } from '../../../src/engines/zookeeper/client/protocol/operation.ts';
import { openClient } from '../../engines/zookeeper/client/open-client.ts';
import { holdables } from './holdables.ts';
import { openProxied } from './proxied-locks.ts';
import { ticketsIn } from './tickets-in.ts';

describeZooKeeper('a reply that is lost', { timeout: 30_000 }, () => {
  let server: ZooKeeperServer;
  beforeAll(async () => {
    server = await startZooKeeper();
  }, 60_000);
  afterAll(() => server?.stop());

  describe.each(holdables)('$kind', ({ kind, folders, holds, acquire }) => {
    const nameOf = (what: string) => `/lost/${kind}/${what}`;
    const pathsOf = (name: string) => folders.map((folder) => name + folder);

    test('between the create and its answer: the ticket is found, and not made twice', async () => {
      await using client = await openProxied([server]);
      const raw = openClient(server.address);
      const name = nameOf('create');
      // Makes the folders, so that the next create is that of the ticket.
      await (await acquire(client.locks, name)).release();
      client.proxy.loseNextReply(opCode.create);
      const hold = await acquire(client.locks, name);
      expect(client.proxy.isLosing).toBe(false);
      await waitFor(
        'one ticket is left for each hold',
        async () => holds === (await ticketsIn(raw, pathsOf(name))).length,
      );
      hold.throwIfLost();
      await hold.release();
      expect(await ticketsIn(raw, pathsOf(name))).toEqual([]);
    });

    test('between the delete of a release and its answer: the ticket is gone, and the hold was not lost', async () => {
      await using client = await openProxied([server]);
      const raw = openClient(server.address);
      const name = nameOf('release');
      const hold = await acquire(client.locks, name);
      client.proxy.loseNextReply(opCode.delete);
      await hold.release();
      expect(client.proxy.isLosing).toBe(false);
      await waitFor('no ticket is left', async () => (await ticketsIn(raw, pathsOf(name))).length === 0);
    });

    test('with the delete of a release itself: the delete is repeated until the server answers', async () => {
      await using client = await openProxied([server]);
      const raw = openClient(server.address);
      const name = nameOf('unsent');
      const hold = await acquire(client.locks, name);
      client.proxy.loseNextRequest(opCode.delete);
      await hold.release();
      expect(client.proxy.isLosing).toBe(false);
      await waitFor('no ticket is left', async () => (await ticketsIn(raw, pathsOf(name))).length === 0);
    });

    test('between the create and its answer, and the caller has given up: the ticket is deleted in the background', async () => {
      await using client = await openProxied([server]);
      const raw = openClient(server.address);
      const name = nameOf('abandoned');
      await (await acquire(client.locks, name)).release();
      const pass = client.proxy.holdReplies(opCode.create);
      const abort = new AbortController();
      const acquiring = acquire(client.locks, name, { signal: abort.signal });
      const outcome = acquiring.then(
        () => 'acquired',
        (error: unknown) => error,
      );
      await waitFor('the ticket stands', async () => (await ticketsIn(raw, pathsOf(name))).length === holds);
      abort.abort(new Error('given up'));
      expect(await outcome).toMatchObject({ message: 'given up' });
      // The connection breaks with every reply: only the ticket's own id finds it again.
      client.proxy.reset();
      pass();
      await using other = await openProxied([server]);
      await (await acquire(other.locks, name, { timeoutMs: 20_000 })).release();
      await waitFor('no ticket is left', async () => (await ticketsIn(raw, pathsOf(name))).length === 0);
    });
  });

  test('to the list before a permit is taken, and the caller has given up: no lease is left', async () => {
    await using client = await openProxied([server]);
    const raw = openClient(server.address);
    const name = '/lost/listing';
    const semaphore = client.locks.semaphore(name, { permits: 3 });
    await (await semaphore.acquire()).release();
    client.proxy.requests.length = 0;
    const pass = client.proxy.holdReplies(opCode.getChildren);
    const abort = new AbortController();
    const acquiring = semaphore.acquire({ permits: 2, signal: abort.signal });
    await waitFor(
      'the lists are on their way',
      () => client.proxy.requests.filter((each) => each === opCode.getChildren).length === 3,
    );
    abort.abort(new Error('given up'));
    await expect(acquiring).rejects.toThrow('given up');
    pass();
    // Behind all that the attempt still sends: requests of one session are carried out in their order.
    await waitFor('the leases are made and deleted', () =>
      [opCode.create, opCode.delete].every(
        (code) => client.proxy.requests.filter((each) => each === code).length === 2,
      ),
    );
    await client.locks.lock('/lost/behind').run(() => undefined);
    expect(await ticketsIn(raw, [`${name}/leases`, `${name}/locks`])).toEqual([]);
  });
});
