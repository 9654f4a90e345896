import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { zookeeper, type ZooKeeperSynchronizers } from 'holdfast/zookeeper';
import { memory } from 'holdfast/memory';
import { waitFor } from '../../../fixtures/wait-for.ts';
import { describeZooKeeper } from '../../../fixtures/zookeeper/zookeeper-jars.ts';
import { startZooKeeper, type ZooKeeperServer } from '../../../fixtures/zookeeper/zookeeper-server.ts';
import { openClient } from '../client/open-client.ts';

/** A grant is handed over for 50 ms only: on a busy machine some are older when they are given back. */
const ROUNDS = 10;

describeZooKeeper('a transaction with a check of a hold', { timeout: 30_000 }, () => {
  let server!: ZooKeeperServer;
  beforeAll(async () => {
    server = await startZooKeeper();
    const locks = zookeeper({ servers: server.address, sessionMs: 10_000 });
    await locks.multi([{ type: 'create', path: '/data' }]);
    await locks.close();
  }, 60_000);
  afterAll(() => server?.stop(), 60_000);

  function open(namespace?: string): ZooKeeperSynchronizers {
    const locks = zookeeper({
      servers: server.address,
      sessionMs: 10_000,
      ...(namespace !== undefined && { namespace }),
    });
    onTestFinished(() => locks.close());
    return locks;
  }

  const write = (text: string) => ({ type: 'set', path: '/data', data: Buffer.from(text) }) as const;
  const written = async () => (await openClient(server.address).getData('/data')).data.toString();

  test.each([
    ['a lock', (locks: ZooKeeperSynchronizers) => locks.lock('/multi/lock').acquire()],
    ['a fair lock', (locks: ZooKeeperSynchronizers) => locks.fairLock('fair').acquire()],
    ['a write', (locks: ZooKeeperSynchronizers) => locks.readWriteLock('/multi/rw').write.acquire()],
    ['a read', (locks: ZooKeeperSynchronizers) => locks.readWriteLock('/multi/ro').read.acquire()],
    ['a leader', (locks: ZooKeeperSynchronizers) => locks.election('/multi/el').campaign({ value: 'a' })],
  ])('of %s writes while it is held, and not when its node is gone', async (what, acquire) => {
    const locks = open();
    const hold = await acquire(locks);
    const check = locks.check(hold);
    expect(await locks.multi([check, write(what)])).toMatchObject([{ kind: 'checked' }, { kind: 'written' }]);
    expect(await written()).toBe(what);
    await openClient(server.address).delete(check.path);
    await expect(locks.multi([check, write('late')])).rejects.toMatchObject({
      code: 'LEASE_LOST',
      reason: 'gone',
    });
    await expect(locks.multi([write('late'), check])).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(await written()).toBe(what);
  });

  test('a hold that was handed over has the node of its grant, and the one before it none', async () => {
    const locks = open();
    const lock = locks.lock('/multi/handed');
    const client = openClient(server.address);
    // A grant is handed over for 50 ms only: on a busy machine the first may be older by then.
    await waitFor('a hand-over', async () => {
      const first = await lock.acquire();
      const [next, last] = [lock.acquire(), lock.acquire()];
      await first.release();
      const second = await next;
      const { names } = await client.getChildren('/multi/handed');
      await second.release();
      await using third = await last;
      expect(() => locks.check(second)).toThrow(expect.toSatisfy((error) => error.code === 'NOT_HELD'));
      const check = locks.check(third);
      await locks.multi([check, write(check.path)]);
      return check.path === `/multi/handed/${names[0]}`;
    });
    expect(await written()).toMatch(/^\/multi\/handed\//);
  });

  test('a hold that was checked is not handed over: a late transaction of it writes nothing', async () => {
    const locks = open();
    const lock = locks.lock('/multi/checked');
    for (let round = 0; round < ROUNDS; round++) {
      const first = await lock.acquire();
      const [next, last] = [lock.acquire(), lock.acquire()];
      await first.release();
      // The first one was alone when it was granted, and is not handed over.
      const second = await next;
      const check = locks.check(second);
      await second.release();
      await using third = await last;
      await expect(locks.multi([check, write('late')])).rejects.toMatchObject({ code: 'LEASE_LOST' });
      expect(locks.check(third).path).not.toBe(check.path);
    }
  });

  test('paths are in the namespace, and what is created has the access list of the engine', async () => {
    const locks = open('app');
    const hold = await locks.lock('/job').acquire();
    const made = await locks.multi([locks.check(hold), { type: 'create', path: '/mine' }]);
    expect(made[1]).toMatchObject({ kind: 'created', path: '/mine' });
    expect(await openClient(server.address).exists('/app/mine')).toBeDefined();
    await hold.release();
  });

  test('a step that fails is named with the code of ZooKeeper, and nothing is written', async () => {
    const locks = open();
    const hold = await locks.lock('/multi/other').acquire();
    const before = await written();
    await expect(
      locks.multi([locks.check(hold), write('x'), { type: 'delete', path: '/none' }]),
    ).rejects.toMatchObject({
      code: 'ENGINE',
      retryable: false,
      message: expect.stringMatching(/step 3 of multi, delete \/none.*NO_NODE.*Nothing was written/),
      cause: { code: 'NO_NODE', step: 2 },
    });
    expect(await written()).toBe(before);
    await hold.release();
  });

  test('a hold of another engine object is refused', async () => {
    const locks = open();
    const hold = await memory().lock('a').acquire();
    expect(() => locks.check(hold)).toThrow(/none of a lock/);
    const permit = await locks.semaphore('/multi/seats', { permits: 1 }).acquire();
    expect(() => locks.check(permit)).toThrow(/none of a lock/);
    await permit.release();
  });
});
