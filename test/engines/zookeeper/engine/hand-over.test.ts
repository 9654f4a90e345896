import { afterAll, beforeAll, expect, test } from 'vitest';
import { opCode } from '../../../../src/engines/zookeeper/client/protocol/operation.ts';
import { openProxied, type ProxiedLocks } from '../../../faults/zookeeper/proxied-locks.ts';
import { ticketsIn } from '../../../faults/zookeeper/tickets-in.ts';
import { waitFor } from '../../../fixtures/wait-for.ts';
import { describeZooKeeper } from '../../../fixtures/zookeeper/zookeeper-jars.ts';
import { startZooKeeper, type ZooKeeperServer } from '../../../fixtures/zookeeper/zookeeper-server.ts';
import { openClient } from '../client/open-client.ts';

const kinds = ['lock', 'fairLock', 'read behind write', 'write behind read', 'election'] as const;
type Kind = (typeof kinds)[number];

/** What the first one of a hand-over takes, or the second one. */
function take({ locks }: ProxiedLocks, kind: Kind, name: string, place: 'first' | 'second') {
  if (kind === 'election') return locks.election(name).campaign();
  if (kind === 'lock' || kind === 'fairLock') return locks[kind](name).acquire();
  const [second, , first] = kind.split(' ') as ['read' | 'write', string, 'read' | 'write'];
  return locks.readWriteLock(name)[place === 'first' ? first : second].acquire();
}

/** Heartbeats come at any time. */
function besidesHeartbeats({ proxy }: ProxiedLocks): readonly number[] {
  return proxy.requests.filter((code) => code !== opCode.sync);
}

describeZooKeeper('a hand-over between processes', { timeout: 60_000 }, () => {
  let server: ZooKeeperServer;
  beforeAll(async () => {
    server = await startZooKeeper();
  }, 60_000);
  afterAll(() => server?.stop());

  /** The waiter has listed the line, and watches its own ticket and the one ahead. */
  const untilWatching = ({ proxy }: ProxiedLocks) =>
    waitFor('both watches are placed', async () => {
      const watches = proxy.requests.filter((code) => code === opCode.getData).length;
      // A hold that is a second old is watched as well.
      return watches === 2 && /Total watches:[23]/.test(await server.ask('wchs'));
    });

  test.each(kinds)('is one delete and one event, for %s', async (kind) => {
    await using one = await openProxied([server]);
    await using two = await openProxied([server]);
    const name = `/hand-over/${kind.replaceAll(' ', '-')}`;
    const hold = await take(one, kind, name, 'first');
    const waiting = take(two, kind, name, 'second');
    await untilWatching(two);
    const before = besidesHeartbeats(two).length;
    await hold.release();
    const next = await waiting;
    expect(besidesHeartbeats(two).slice(before)).toEqual([]);
    expect(next.fence).toBeGreaterThan(hold.fence);
    await next.release();
    // The watch on the own ticket goes with it.
    expect(besidesHeartbeats(two)[before]).toBe(opCode.delete);
    await waitFor('no watch is left', async () => (await server.ask('wchs')).includes('Total watches:0'));
  });

  test('a waiter whose node is deleted right before that of the holder stands at the end, and is not in', async () => {
    await using one = await openProxied([server]);
    await using two = await openProxied([server]);
    await using three = await openProxied([server]);
    const raw = openClient(server.address);
    const name = '/hand-over/deleted';
    const hold = await one.locks.fairLock(name).acquire();
    let isIn = false;
    const second = two.locks
      .fairLock(name)
      .acquire()
      .then((next) => {
        isIn = true;
        return next;
      });
    await untilWatching(two);
    const third = three.locks.fairLock(name).acquire();
    await waitFor('both wait', async () => (await ticketsIn(raw, [name])).length === 3);
    const tickets = (await raw.getChildren(name)).names.toSorted((a, b) =>
      a.slice(-10).localeCompare(b.slice(-10)),
    );
    const [held, next] = tickets.map((ticket) => `${name}/${ticket}`);
    // In one packet: the events are right behind each other.
    await Promise.all([raw.delete(next!), raw.delete(held!)]);
    const holder = await third;
    await waitFor('it has joined again', async () => (await ticketsIn(raw, [name])).length === 2);
    expect(isIn).toBe(false);
    await holder.release();
    expect((await second).fence).toBeGreaterThan(holder.fence);
    await (await second).release();
    await hold.release().catch(() => undefined);
    await raw.close();
  });
});
