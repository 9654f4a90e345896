import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFolder } from '../../../src/engines/zookeeper/nodes/create-folder.ts';
import { openAccess } from '../../../src/engines/zookeeper/client/protocol/access-rule.ts';
import { opCode } from '../../../src/engines/zookeeper/client/protocol/operation.ts';
import { openClient } from '../../engines/zookeeper/client/open-client.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { describeZooKeeper } from '../../fixtures/zookeeper/zookeeper-jars.ts';
import { startZooKeeper, type ZooKeeperServer } from '../../fixtures/zookeeper/zookeeper-server.ts';
import { openProxied } from './proxied-locks.ts';

describeZooKeeper('the watch', () => {
  let server: ZooKeeperServer;
  beforeAll(async () => {
    server = await startZooKeeper();
  }, 60_000);
  afterAll(() => server?.stop());

  test('of a waiter is placed again when the ticket ahead is changed, and hears of one that goes before that', async () => {
    await using client = await openProxied([server]);
    const raw = openClient(server.address);
    const name = '/watches/changed';
    const lock = client.locks.lock(name);
    // Persistent: the server may delete an empty container before the ticket is created in it.
    await createFolder(raw, name, 'persistent', openAccess);
    const theirs = await raw.create(
      `${name}/_c_0867c787-9f58-4352-a2f8-dcf703074199-lock-`,
      Buffer.from('127.0.0.1'),
      'ephemeral-sequential',
    );
    const waiting = lock.acquire();
    await waitFor('the waiter watches', () => client.proxy.requests.includes(opCode.getData));
    const held = client.proxy.holdRequests(opCode.getData);
    // Again and again: a change that overtakes the request for the watch is not told.
    await waitFor('the next watch is on its way', async () => {
      await raw.setData(theirs.path, Buffer.from('__REVOKE__'));
      return held.count() > 0;
    });
    await raw.delete(theirs.path);
    held.pass();
    const hold = await waiting;
    expect(hold.lost.aborted).toBe(false);
    await hold.release();
  });

  test('of a latch hears of a count that reached zero while the connection was broken', async () => {
    await using client = await openProxied([server]);
    await using other = await openProxied([server]);
    const latch = client.locks.latch('/watches/latch');
    await latch.trySetCount(1);
    let isOpen = false;
    const waiting = latch.await().then(() => {
      isOpen = true;
    });
    await waitFor('it watches', () => client.proxy.requests.includes(opCode.addWatch));
    const pass = client.silence();
    await other.locks.latch('/watches/latch').countDown();
    expect(isOpen).toBe(false);
    pass();
    await waiting;
  });

  test('of a latch outlasts a count that is written between the reads of its two nodes', async () => {
    await using client = await openProxied([server]);
    await using other = await openProxied([server]);
    const [latch, elsewhere] = [client.locks.latch('/watches/torn'), other.locks.latch('/watches/torn')];
    await elsewhere.trySetCount(3);
    expect(await latch.count()).toBe(3);
    const held = client.proxy.holdRequests(opCode.getData);
    const waiting = latch.await({ timeoutMs: 3000 });
    await waitFor('both reads are on their way', () => held.count() === 2);
    await held.passFirst();
    await elsewhere.countDown();
    held.pass();
    await expect(waiting).rejects.toMatchObject({ code: 'ACQUIRE_TIMEOUT' });
  });
});
