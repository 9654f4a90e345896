import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openClient } from '../../engines/zookeeper/client/open-client.ts';
import { describeZooKeeper } from '../../fixtures/zookeeper/zookeeper-jars.ts';
import { startZooKeeper, type ZooKeeperServer } from '../../fixtures/zookeeper/zookeeper-server.ts';
import { ForcedEnds } from './forced-ends.ts';
import { Overlaps } from './overlaps.ts';
import { openProxied, type ProxiedLocks } from './proxied-locks.ts';

const SESSION_MS = 20_000;

// What the storm judges by. Schedules that are rare there are made here one by one.
describeZooKeeper('an overlap of two holders', { timeout: 60_000 }, () => {
  let server: ZooKeeperServer;
  beforeAll(async () => {
    server = await startZooKeeper();
  }, 60_000);
  afterAll(() => server?.stop());

  async function open(): Promise<ProxiedLocks> {
    const client = await openProxied([server], { sessionMs: SESSION_MS });
    onTestFinished(() => client[Symbol.asyncDispose]());
    return client;
  }

  async function begin() {
    const forced = new ForcedEnds();
    const raw = openClient(server.address);
    return { forced, raw, overlaps: new Overlaps(forced), one: await open(), other: await open() };
  }

  test('is none where the session of a holder was being ended when it entered', async () => {
    const { forced, overlaps, one, other } = await begin();
    const name = '/overlaps/ended-session';
    const hold = await one.locks.lock(name).acquire();
    const pass = one.silence();
    for (const session of one.proxy.endSession()) forced.add(session);
    overlaps.enter(one, hold);
    overlaps.enter(other, await other.locks.lock(name).acquire());
    expect(hold.lost.aborted).toBe(false);
    expect(overlaps.found).toEqual([]);
    pass();
  });

  test('is none where a ticket was deleted by hand before its owner entered', async () => {
    const { forced, overlaps, one, other, raw } = await begin();
    const name = '/overlaps/deleted-ticket';
    const hold = await one.locks.lock(name).acquire();
    const ticket = one.locks.check(hold).path;
    forced.add(ticket);
    await raw.delete(ticket);
    overlaps.enter(other, await other.locks.lock(name).acquire());
    overlaps.enter(one, hold);
    expect(overlaps.found).toEqual([]);
  });

  test('is reported also when a hold of another client is ended by force', async () => {
    const { forced, overlaps, one, other, raw } = await begin();
    const third = await open();
    const name = '/overlaps/unforced';
    const hold = await one.locks.lock(name).acquire();
    overlaps.enter(one, hold);
    // As if the servers had lost it.
    await raw.delete(one.locks.check(hold).path);
    await third.locks.lock('/overlaps/third').acquire();
    for (const session of third.proxy.endSession()) forced.add(session);
    overlaps.enter(other, await other.locks.lock(name).acquire());
    expect(overlaps.found).toEqual([expect.stringContaining(`enters beside fence ${hold.fence} `)]);
  });

  test('is reported for the next session of a client whose last one was ended by force', async () => {
    const { forced, overlaps, one, other, raw } = await begin();
    const name = '/overlaps/next-session';
    const first = await one.locks.lock(name).acquire();
    for (const session of one.proxy.endSession()) forced.add(session);
    const hold = await one.locks.lock(name).acquire();
    expect(first.lost.aborted).toBe(true);
    overlaps.enter(one, hold);
    await raw.delete(one.locks.check(hold).path);
    overlaps.enter(other, await other.locks.lock(name).acquire());
    expect(overlaps.found).toHaveLength(1);
  });

  test('is none after the first holder has left', async () => {
    const { overlaps, one, other } = await begin();
    const name = '/overlaps/left';
    const hold = await one.locks.lock(name).acquire();
    const leave = overlaps.enter(one, hold);
    leave();
    await hold.release();
    overlaps.enter(other, await other.locks.lock(name).acquire());
    expect(overlaps.found).toEqual([]);
  });
});
