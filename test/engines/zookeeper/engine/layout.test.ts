import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock, systemRandom } from '../../../../src/core/time/clock.ts';
import { openZooKeeper } from '../../../../src/engines/zookeeper/open-zookeeper.ts';
import { startZooKeeper, type ZooKeeperServer } from '../../../fixtures/zookeeper/zookeeper-server.ts';
import { describeZooKeeper } from '../../../fixtures/zookeeper/zookeeper-jars.ts';
import { waitFor } from '../../../fixtures/wait-for.ts';
import { openClient } from '../client/open-client.ts';

const ID = '[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}';
/** As Java makes them. */
const JAVA = '0867c787-9f58-4352-a2f8-dcf703074199';

describeZooKeeper('the layout of Curator', () => {
  let server!: ZooKeeperServer;
  beforeAll(async () => {
    server = await startZooKeeper();
  }, 60_000);
  afterAll(() => server?.stop(), 60_000);

  function open(
    options: {
      readonly namespace?: string;
      readonly sessionMs?: number;
      readonly renewalLeaseMs?: number;
    } = {},
  ) {
    const settings = { servers: server.address, sessionMs: 10_000, ...options };
    const locks = openZooKeeper(settings, { clock: systemClock, random: systemRandom });
    onTestFinished(() => locks.close());
    return { locks, raw: openClient(server.address) };
  }

  test('a lock is an InterProcessMutex, and its folder a container that goes when it is empty', async () => {
    const { locks, raw } = open();
    const hold = await locks.lock('/golden/mutex').acquire();
    const { names } = await raw.getChildren('/golden/mutex');
    expect(names).toEqual([expect.stringMatching(new RegExp(`^_c_${ID}-lock-0000000000$`))]);
    const stat = await raw.exists(`/golden/mutex/${names[0]}`);
    expect(hold.fence).toBe(stat!.czxid * 64n);
    await hold.release();
    await waitFor('the container is gone', async () => (await raw.exists('/golden/mutex')) === undefined);
    await (await locks.lock('/golden/mutex').acquire()).release();
  });

  test('a name that is no path has a folder below that of its kind', async () => {
    const { locks, raw } = open();
    const hold = await locks.fairLock('a b/c').acquire();
    expect((await raw.getChildren('/holdfast/fairLock/a%20b%2Fc')).names).toHaveLength(1);
    await hold.release();
  });

  test('a namespace is in front of every path', async () => {
    const { locks, raw } = open({ namespace: 'app/one' });
    const hold = await locks.lock('/golden/named').acquire();
    expect((await raw.getChildren('/app/one/golden/named')).names).toHaveLength(1);
    await hold.release();
  });

  test('a read under a write has the position of the write, and keeps it (Curator 5.5)', async () => {
    const { locks, raw } = open();
    const lock = locks.readWriteLock('/golden/rw');
    const owner = locks.owner();
    const write = await lock.write.acquire({ owner });
    const read = await lock.read.acquire({ owner });
    // A writer that waits by now has a lower number than the node of this read.
    expect(read.fence).toBe(write.fence);
    const names = async () => (await raw.getChildren('/golden/rw')).names.toSorted();
    expect((await names()).map((name) => name.slice(40))).toEqual(
      expect.arrayContaining(['__READ__0000000000', '__WRIT__0000000000']),
    );
    await write.release();
    expect((await names()).map((name) => name.slice(40))).toEqual(['__READ__0000000000']);
    await read.release();
  });

  test('a semaphore is an InterProcessSemaphoreV2: a lease for each permit, and a mutex in front of those that wait', async () => {
    const { locks, raw } = open();
    const semaphore = locks.semaphore('/golden/semaphore', { permits: 3 });
    const names = async (folder: string) =>
      (await raw.exists(`/golden/semaphore/${folder}`)) === undefined
        ? []
        : (await raw.getChildren(`/golden/semaphore/${folder}`)).names.toSorted();
    const hold = await semaphore.acquire({ permits: 2 });
    const leases = await names('leases');
    expect(leases.map((name) => name.slice(-16)).toSorted()).toEqual([
      'lease-0000000000',
      'lease-0000000001',
    ]);
    for (const lease of leases) expect(lease).toMatch(new RegExp(`^_c_${ID}-lease-\\d{10}$`));
    expect((await raw.exists(`/golden/semaphore/leases/${leases[0]}`))!.ephemeralOwner).not.toBe(0n);
    expect(await names('locks')).toEqual([]);
    // The first that waits has the mutex and a lease of its own, which counts when another one has gone; the second only waits.
    const first = semaphore.acquire({ permits: 2 });
    await waitFor('the first has the mutex, and waits for a lease', async () => {
      const lengths = [(await names('locks')).length, (await names('leases')).length];
      return lengths.join() === '1,4';
    });
    const second = semaphore.acquire();
    await waitFor('the second waits for the mutex', async () => (await names('locks')).length === 2);
    expect((await names('locks')).map((name) => name.slice(40)).toSorted()).toEqual([
      'lock-0000000000',
      'lock-0000000001',
    ]);
    expect(await names('leases')).toHaveLength(4);
    await hold.release();
    await (await first).release();
    await (await second).release();
    await waitFor(
      'nothing is left',
      async () => [...(await names('leases')), ...(await names('locks'))].length === 0,
    );
  });

  test('a lease of Java counts, and its mutex keeps us waiting', async () => {
    const { locks, raw } = open();
    const semaphore = locks.semaphore('/golden/java-semaphore', { permits: 1 });
    await (await semaphore.acquire()).release();
    const lease = await raw.create(
      `/golden/java-semaphore/leases/_c_${JAVA}-lease-`,
      Buffer.from('127.0.0.1'),
      'ephemeral-sequential',
    );
    expect(await semaphore.tryAcquire()).toBeNull();
    const acquiring = semaphore.acquire();
    await waitFor(
      'a lease waits',
      async () => (await raw.getChildren('/golden/java-semaphore/leases')).names.length === 2,
    );
    await raw.delete(lease.path);
    await (await acquiring).release();
  });

  test('a candidate is a participant of a LeaderLatch', async () => {
    const { locks, raw } = open();
    const term = await locks.election('/golden/latch').campaign({ value: 'node-1' });
    const [name] = (await raw.getChildren('/golden/latch')).names;
    expect(name).toMatch(new RegExp(`^_c_${ID}-latch-0000000000$`));
    expect((await raw.getData(`/golden/latch/${name}`)).data.toString()).toBe('node-1');
    await term.resign();
  });

  test('a proclamation leaves the node of the leader alone: a LeaderLatch watches that for its end only', async () => {
    const { locks, raw } = open();
    const election = locks.election('/golden/said');
    const term = await election.campaign({ value: 'first' });
    const [name] = (await raw.getChildren('/golden/said')).names;
    const events: string[] = [];
    const { stat } = await raw.getData(`/golden/said/${name}`, ({ type }) => void events.push(type));
    const observed = election.observe();
    expect((await observed.next()).value).toMatchObject({ value: 'first' });
    await term.proclaim('second');
    expect((await observed.next()).value).toMatchObject({ value: 'second' });
    await term.proclaim('third');
    expect((await observed.next()).value).toMatchObject({ value: 'third', fence: stat.czxid });
    await raw.sync('/');
    expect(events).toEqual([]);
    expect((await raw.getData(`/golden/said/${name}`)).data.toString()).toBe('first');
    await term.resign();
    expect((await observed.next()).value).toBeNull();
    expect(events).toEqual(['deleted']);
    await observed.return?.();
    await waitFor('nothing is left of it', async () => {
      return (await raw.exists('/holdfast/proclaimed/%2Fgolden%2Fsaid')) === undefined;
    });
  });

  test('a leader whose node was deleted proclaims nothing', async () => {
    const { locks, raw } = open();
    const term = await locks.election('/golden/unsaid').campaign({ value: 'first' });
    const [name] = (await raw.getChildren('/golden/unsaid')).names;
    await term.proclaim('second');
    await raw.delete(`/golden/unsaid/${name}`);
    await expect(term.proclaim('third')).rejects.toMatchObject({ code: 'LEASE_LOST' });
    const [said] = (await raw.getChildren('/holdfast/proclaimed/%2Fgolden%2Funsaid')).names;
    expect((await raw.getData(`/holdfast/proclaimed/%2Fgolden%2Funsaid/${said}`)).data.toString()).toBe(
      'second',
    );
  });

  test('a ticket of Java is waited for, also when its data changes meanwhile, and ours keep Java out', async () => {
    const { locks, raw } = open();
    await raw.create('/golden', undefined, 'container').catch(() => undefined);
    await raw.create('/golden/shared', undefined, 'container');
    const theirs = await raw.create(
      `/golden/shared/_c_${JAVA}-lock-`,
      Buffer.from('127.0.0.1'),
      'ephemeral-sequential',
    );
    const lock = locks.lock('/golden/shared');
    expect(await lock.tryAcquire()).toBeNull();
    const acquiring = lock.acquire();
    await waitFor('two tickets', async () => (await raw.getChildren('/golden/shared')).names.length === 2);
    // Its own ticket and the one ahead. A watch that is used up by this, and not placed again, would leave the waiter waiting.
    await waitFor('the waiter watches', async () => (await server.ask('wchs')).includes('watching 2 paths'));
    await raw.setData(theirs.path, Buffer.from('__REVOKE__'));
    await waitFor('the waiter watches again', async () =>
      (await server.ask('wchs')).includes('watching 2 paths'),
    );
    await raw.delete(theirs.path);
    const hold = await acquiring;
    expect((await raw.getChildren('/golden/shared')).names).toHaveLength(1);
    await hold.release();
  });

  test('a hold whose node is deleted by hand is lost', async () => {
    const { locks, raw } = open({ renewalLeaseMs: 300 });
    const hold = await locks.lock('/golden/broken').acquire();
    const lost = new Promise((resolve) => {
      hold.lost.addEventListener('abort', resolve);
    });
    const [name] = (await raw.getChildren('/golden/broken')).names;
    await raw.delete(`/golden/broken/${name}`);
    await lost;
    await expect(hold.release()).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });

  test('a latch is a SharedCount for Java, and a SharedCount is a latch for us', async () => {
    const { locks, raw } = open();
    const latch = locks.latch('/golden/count');
    await latch.trySetCount(3);
    // No byte more: the `trySetCount` of Java compares them all with those of the count that it has read.
    expect((await raw.getData('/golden/count')).data).toEqual(Buffer.from([0, 0, 0, 3]));
    await raw.setData('/golden/count', Buffer.from([0, 0, 0, 2]));
    expect(await latch.count()).toBe(2);
    await latch.countDown();
    expect((await raw.getData('/golden/count')).data).toEqual(Buffer.from([0, 0, 0, 1]));
    await raw.delete('/golden/count');
    expect(await latch.count()).toBe(0);
    expect(await latch.trySetCount(4)).toBe(true);
    expect((await raw.getData('/golden/count')).data).toEqual(Buffer.from([0, 0, 0, 4]));
  });

  test('clients that count down a latch at once lose no count', async () => {
    const latches = [open().locks, open().locks].map((locks) => locks.latch('/golden/lowered'));
    await latches[0]!.trySetCount(40);
    const counting = latches.map(async (latch) => {
      for (let done = 0; done < 20; done += 1) await latch.countDown();
    });
    await Promise.all(counting);
    expect(await latches[0]!.count()).toBe(0);
  });

  test('a SharedCount that Java has made is counted down, and one that is none is refused', async () => {
    const { locks, raw } = open();
    await raw.create('/golden', undefined, 'container').catch(() => undefined);
    await raw.create('/golden/theirs', Buffer.from([0, 0, 0, 2]));
    expect(await locks.latch('/golden/theirs').countDown()).toBe(1);
    expect((await raw.getData('/golden/theirs')).data).toEqual(Buffer.from([0, 0, 0, 1]));
    await raw.create('/golden/foreign', Buffer.from('127.0.0.1'));
    await expect(locks.latch('/golden/foreign').count()).rejects.toMatchObject({ code: 'FOREIGN_STATE' });
  });

  test('a session of another time than the one asked for is warned of', async () => {
    const warned = new Promise<Error>((resolve) => {
      process.once('warning', resolve);
    });
    const { locks } = open({ sessionMs: 90_000 });
    await locks.lock('/golden/warned').run(() => undefined);
    expect((await warned).message).toContain('60000 ms instead of 90000 ms');
  });
});
