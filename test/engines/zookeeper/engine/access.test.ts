import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  type AccessRule,
  digestId,
  permission,
  zookeeper,
  type ZooKeeperSynchronizers,
} from 'holdfast/zookeeper';
import { waitFor } from '../../../fixtures/wait-for.ts';
import { describeZooKeeper } from '../../../fixtures/zookeeper/zookeeper-jars.ts';
import { startZooKeeper, type ZooKeeperServer } from '../../../fixtures/zookeeper/zookeeper-server.ts';
import { openClient } from '../client/open-client.ts';

const { read, write, create, delete: remove } = permission;
const rule = (user: string, permissions: number): AccessRule => ({
  permissions,
  scheme: 'digest',
  id: digestId(user, `${user}'s secret`),
});

/** The recipe of docs/engines/zookeeper.md: two users that lock, and one that looks. */
const fleet = read | write | create | remove;
const access = [rule('node', fleet), rule('java', fleet), rule('ops', read)];

describeZooKeeper('an access list of three users', { timeout: 30_000 }, () => {
  let server!: ZooKeeperServer;
  beforeAll(async () => {
    server = await startZooKeeper();
  }, 60_000);
  afterAll(() => server?.stop(), 60_000);

  function open(user: string): ZooKeeperSynchronizers {
    const locks = zookeeper({
      servers: `${server.address}/fleet`,
      sessionMs: 10_000,
      auth: [{ scheme: 'digest', secret: `${user}:${user}'s secret` }],
      access,
    });
    onTestFinished(() => locks.close());
    return locks;
  }

  test('lets the fleet use every synchronizer with no more than that, ops look, and others nothing', async () => {
    const raw = openClient(server.address);
    // By an administrator, once: the users may create in the chroot, and not change or delete it.
    await raw.create('/fleet', undefined, 'persistent', [
      rule('node', read | create),
      rule('java', read | create),
      rule('ops', read),
    ]);
    const [node, java, ops, stranger] = ['node', 'java', 'ops', 'stranger'].map(open) as [
      ZooKeeperSynchronizers,
      ZooKeeperSynchronizers,
      ZooKeeperSynchronizers,
      ZooKeeperSynchronizers,
    ];
    for (const [one, other] of [
      [node, java],
      [java, node],
    ] as const) {
      const both = (locks: ZooKeeperSynchronizers) => [
        locks.lock('/jobs/one'),
        locks.fairLock('plain'),
        locks.readWriteLock('/jobs/rw').write,
      ];
      for (const [at, mine] of both(one).entries()) {
        const hold = await mine.acquire();
        const waiting = both(other)[at]!.acquire();
        await waitFor('the other waits', async () => (await mine.waiters()) === 1);
        await hold.release();
        await (await waiting).release();
      }
      const permit = await one.semaphore('/jobs/seats', { permits: 1 }).acquire();
      expect(await other.semaphore('/jobs/seats', { permits: 1 }).tryAcquire()).toBeNull();
      await permit.release();
      await one.latch('gate').trySetCount(1);
      await other.latch('gate').countDown();
      await one.latch('gate').await();
      await Promise.all([one, other].map((locks) => locks.barrier('round', { parties: 2 }).arrive()));
      await other.monitor('state', { initial: 0 }).run((m) => m.set(m.state + 1));
      const term = await one.election('/jobs/leader').campaign({ value: 'first' });
      await term.proclaim('second');
      expect((await other.election('/jobs/leader').leader())?.value).toBe('second');
      await term.resign();
    }
    const hold = await node.lock('/jobs/one').acquire();
    const seen = (await ops.inspector.describe('lock', '/jobs/one'))!;
    expect(seen.holders).toHaveLength(1);
    const names: string[] = [];
    for await (const { name } of ops.inspector.list()) names.push(name);
    expect(names).toEqual(['/jobs/one']);
    const refused = { retryable: false, message: expect.stringContaining('NO_AUTH') };
    const { owner } = seen.holders[0]!;
    await expect(ops.inspector.forceRelease('lock', '/jobs/one', { owner })).rejects.toMatchObject(refused);
    await expect(ops.lock('/jobs/one').acquire()).rejects.toMatchObject(refused);
    await expect(stranger.lock('/jobs/one').tryAcquire()).rejects.toMatchObject(refused);
    await expect(stranger.inspector.describe('lock', '/jobs/one')).rejects.toMatchObject(refused);
    expect(hold.lost.aborted).toBe(false);
    await hold.release();
  });
});
