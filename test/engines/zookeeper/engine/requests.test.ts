import { afterAll, beforeAll, expect, test } from 'vitest';
import { opCode } from '../../../../src/engines/zookeeper/client/protocol/operation.ts';
import { openProxied } from '../../../faults/zookeeper/proxied-locks.ts';
import { ticketsIn } from '../../../faults/zookeeper/tickets-in.ts';
import { waitFor } from '../../../fixtures/wait-for.ts';
import { describeZooKeeper } from '../../../fixtures/zookeeper/zookeeper-jars.ts';
import { startZooKeeper, type ZooKeeperServer } from '../../../fixtures/zookeeper/zookeeper-server.ts';
import { openClient } from '../client/open-client.ts';

const WAITERS = 200;

describeZooKeeper('the requests of the engine', { timeout: 60_000 }, () => {
  let server: ZooKeeperServer;
  beforeAll(async () => {
    server = await startZooKeeper();
  }, 60_000);
  afterAll(() => server?.stop());

  test.each(['lock', 'fairLock', 'readWriteLock', 'election'] as const)(
    'an uncontended %s is acquired in one round trip, and given back in another',
    async (kind) => {
      await using client = await openProxied([server], { sessionMs: 30_000 });
      const { proxy, locks } = client;
      const name = `/flights/${kind}`;
      const acquire = () => {
        if (kind === 'readWriteLock') return locks.readWriteLock(name).write.acquire();
        return kind === 'election' ? locks.election(name).campaign() : locks[kind](name).acquire();
      };
      // Makes the folder and the session.
      await (await acquire()).release();
      proxy.requests.length = 0;
      const pass = proxy.holdReplies(opCode.create, opCode.getChildren);
      const acquiring = acquire();
      // Both are on their way before the first reply: a second flight would wait for it.
      await waitFor('both requests are sent', () => proxy.requests.length === 2);
      expect(proxy.requests).toEqual([opCode.create, opCode.getChildren]);
      pass();
      const hold = await acquiring;
      expect(proxy.requests).toHaveLength(2);
      await hold.release();
      // A leader deletes what it has proclaimed, too, in the same flight as its ticket.
      const deletes = kind === 'election' ? [opCode.delete, opCode.delete] : [opCode.delete];
      expect(proxy.requests.slice(2)).toEqual(deletes);
    },
  );

  test('permits of a semaphore that has room are acquired in one round trip, one node for each', async () => {
    await using client = await openProxied([server], { sessionMs: 30_000 });
    const { proxy, locks } = client;
    const semaphore = locks.semaphore('/flights/semaphore', { permits: 3 });
    await (await semaphore.acquire()).release();
    proxy.requests.length = 0;
    const pass = proxy.holdReplies(opCode.create, opCode.getChildren);
    const acquiring = semaphore.acquire({ permits: 2 });
    // Each node with a list, and whether others wait: all of it is on its way before the first reply.
    await waitFor('all requests are sent', () => proxy.requests.length === 5);
    pass();
    const hold = await acquiring;
    const { create, getChildren } = opCode;
    expect(proxy.requests).toEqual([create, getChildren, create, getChildren, getChildren]);
    await hold.release();
    expect(proxy.requests.slice(5)).toEqual([opCode.delete, opCode.delete]);
  });

  test('a semaphore that was full when it was last asked for is looked at before a node is created', async () => {
    await using holder = await openProxied([server], { sessionMs: 30_000 });
    await using client = await openProxied([server], { sessionMs: 30_000 });
    const { proxy, locks } = client;
    const semaphore = locks.semaphore('/flights/full', { permits: 1 });
    const hold = await holder.locks.semaphore('/flights/full', { permits: 1 }).acquire();
    // Made before, so that no create of a ticket is refused and repeated.
    const raw = openClient(server.address);
    await raw.create('/flights/full/locks', undefined, 'container');
    const creates = () => proxy.requests.filter((code) => code === opCode.create).length;
    await using other = await openProxied([server], { sessionMs: 30_000 });
    expect(await other.locks.semaphore('/flights/full', { permits: 1 }).tryAcquire()).toBeNull();
    expect(other.proxy.requests).not.toContain(opCode.create);
    expect(await semaphore.tryAcquire({ timeoutMs: 300 })).toBeNull();
    // A lease that was given back, a place in front of the mutex, and a lease behind that of the holder.
    expect(creates()).toBe(3);
    expect(await semaphore.tryAcquire({ timeoutMs: 300 })).toBeNull();
    expect(creates()).toBe(5);
    expect(await semaphore.tryAcquire()).toBeNull();
    expect(creates()).toBe(5);
    await hold.release();
    const next = await semaphore.acquire();
    expect(creates()).toBe(6);
    await next.release();
    proxy.requests.length = 0;
    await (await semaphore.acquire()).release();
    const { create, getChildren, delete: remove } = opCode;
    expect(proxy.requests).toEqual([create, getChildren, getChildren, remove]);
  });

  test('permits that are free are not taken ahead of an owner that waits in front of the mutex', async () => {
    await using client = await openProxied([server], { sessionMs: 30_000 });
    const { proxy, locks } = client;
    const semaphore = locks.semaphore('/flights/awaited', { permits: 2 });
    await (await semaphore.acquire()).release();
    const raw = openClient(server.address);
    await raw.create('/flights/awaited/locks', undefined, 'container');
    const theirs = await raw.create(
      '/flights/awaited/locks/_c_0867c787-9f58-4352-a2f8-dcf703074199-lock-',
      undefined,
      'ephemeral-sequential',
    );
    let isIn = false;
    const acquiring = semaphore.acquire().then((hold) => {
      isIn = true;
      return hold;
    });
    await waitFor('it waits in front of the mutex', () => proxy.requests.includes(opCode.getData));
    expect([isIn, await ticketsIn(raw, ['/flights/awaited/leases'])]).toEqual([false, []]);
    await raw.delete(theirs.path);
    await (await acquiring).release();
  });

  test(`${WAITERS} waiters send nothing but the heartbeats of their sessions`, async () => {
    await using holder = await openProxied([server]);
    const sessions = await Promise.all(
      Array.from({ length: 10 }, () => openProxied([server], { sessionMs: 6000 })),
    );
    const raw = openClient(server.address);
    const hold = await holder.locks.fairLock('/quiet').acquire();
    // Of fair locks each waiter stands in the line of the server.
    const waiting = sessions.flatMap(({ locks }) =>
      Array.from({ length: WAITERS / sessions.length }, () =>
        locks
          .fairLock('/quiet')
          .acquire()
          .then((next) => next.release()),
      ),
    );
    const settled = Promise.allSettled(waiting);
    await waitFor('all stand in line', async () => (await ticketsIn(raw, ['/quiet'])).length === WAITERS + 1);
    await waitFor('all watch', async () => (await server.ask('wchs')).includes(`watching ${WAITERS} paths`));
    for (const { proxy } of sessions) proxy.requests.length = 0;
    // Several heartbeats of each, and longer than the interest that a waiter renews on other engines.
    await waitFor(
      'six heartbeats are over',
      () => sessions.every(({ proxy }) => proxy.requests.filter((code) => code === opCode.sync).length >= 12),
      30_000,
    );
    for (const { proxy } of sessions) expect(new Set(proxy.requests)).toEqual(new Set([opCode.sync]));
    // No herd: a release is heard by the next waiter alone. The first one is in by that; each other one had two tickets ahead when it
    // last listed the line, and lists it once.
    for (const { proxy } of sessions) proxy.requests.length = 0;
    await hold.release();
    const outcomes = await settled;
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    const lists = sessions.flatMap(({ proxy }) =>
      proxy.requests.filter((code) => code === opCode.getChildren),
    );
    expect(lists).toHaveLength(WAITERS - 1);
    for (const each of sessions) await each[Symbol.asyncDispose]();
  });
});
