import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { StoreFullError } from '../../../src/core/failures/store-full-error.ts';
import { describeEtcd } from '../../fixtures/etcd/describe-etcd.ts';
import { type EtcdCluster, startCluster } from '../../fixtures/etcd/etcd-cluster.ts';
import type { EtcdServer } from '../../fixtures/etcd/etcd-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { compact, raiseAlarm, ticketsOf } from './injections.ts';
import { openProxiedEtcd, type ProxiedEtcd } from './proxied-etcd.ts';

const SESSION_MS = 4000;
const SOON_MS = 30_000;

describeEtcd('a cluster in trouble', { timeout: 90_000 }, () => {
  let cluster!: EtcdCluster;
  beforeEach(async () => {
    cluster = await startCluster();
    return () => cluster.stop();
  }, 60_000);

  /** A client whose first member is this one. */
  async function open(first: EtcdServer = cluster.servers[0]!): Promise<ProxiedEtcd> {
    const others = cluster.servers.filter((server) => server !== first);
    const client = await openProxiedEtcd([first, ...others], { sessionMs: SESSION_MS });
    onTestFinished(() => client[Symbol.asyncDispose]());
    return client;
  }

  async function untilTickets(name: string, count: number): Promise<void> {
    await waitFor(`${count} tickets`, async () => (await ticketsOf(cluster, name)).length === count, SOON_MS);
  }

  test.each(['killed', 'frozen', 'cut off'] as const)(
    'a leader that is %s: a hold stays, and a waiter gets in behind it',
    async (how) => {
      const name = '/faults/leader';
      const leader = await cluster.leader();
      // The holder is at the leader, and so goes on at another member; the waiter is at a follower.
      const [one, two] = [await open(leader), await open(await cluster.follower())];
      const hold = await one.locks.lock(name).acquire();
      const waiting = two.locks.lock(name).acquire();
      await untilTickets(name, 2);
      if (how === 'killed') await leader.kill();
      if (how === 'frozen') await leader.pause();
      const heal = how === 'cut off' ? await cluster.cutOff(leader) : undefined;
      await waitFor(
        'another leader',
        async () => {
          for (const server of cluster.servers.filter((each) => each !== leader)) {
            const { id, leader: elected } = await server.roles();
            if (id === elected) return true;
          }
          return false;
        },
        SOON_MS,
      );
      hold.throwIfLost();
      await hold.release();
      const next = await waiting;
      expect(next.fence).toBeGreaterThan(hold.fence);
      if (how === 'frozen') leader.resume();
      heal?.();
      await next.release();
    },
  );

  test('a member is cut off with its client alone behind it: the hold is lost before the others let the next one in', async () => {
    const name = '/faults/partition';
    const minority = await cluster.follower();
    const others = cluster.servers.filter((server) => server !== minority);
    const one = await openProxiedEtcd([minority], { sessionMs: SESSION_MS });
    onTestFinished(() => one[Symbol.asyncDispose]());
    const two = await openProxiedEtcd(others, { sessionMs: SESSION_MS });
    onTestFinished(() => two[Symbol.asyncDispose]());
    const hold = await one.locks.lock(name).acquire();
    const lostAt = new Promise<number>((resolve) => {
      hold.lost.addEventListener('abort', () => resolve(performance.now()));
    });
    const grantedAt = two.locks
      .lock(name)
      .acquire()
      .then(() => performance.now());
    await untilTickets(name, 2);
    const heal = await cluster.cutOff(minority);
    expect(await lostAt).toBeLessThan(await grantedAt);
    heal();
    await expect(hold.release()).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });

  test('the history is compacted while waiters watch: each gets in', async () => {
    const name = '/faults/compacted';
    const [one, two] = [await open(), await open()];
    const hold = await one.locks.lock(name).acquire();
    const waiting = two.locks.fairLock(name).acquire();
    await untilTickets(name, 2);
    // The watch begins anew over another connection, at a revision that is gone.
    const pass = two.silence();
    await one.locks.lock('/faults/other').run(() => undefined);
    await compact(cluster);
    await hold.release();
    await one.locks.lock('/faults/other').run(() => undefined);
    await compact(cluster);
    pass();
    await (await waiting).release();
    expect(await ticketsOf(cluster, name)).toEqual([]);
  });

  test('a lease is revoked: holds are lost, waiters go on in another session', async () => {
    const name = '/faults/revoked';
    const [one, two] = [await open(), await open()];
    const hold = await one.locks.lock(name).acquire();
    const other = await two.locks.lock(`${name}-other`).acquire();
    const lost = new Promise((resolve) => other.lost.addEventListener('abort', resolve));
    const waiting = two.locks.lock(name).acquire();
    await untilTickets(name, 2);
    await cluster.ask('kv/lease/revoke', { ID: String(two.session) });
    await lost;
    expect(other.lost.reason).toMatchObject({ code: 'LEASE_LOST' });
    await untilTickets(name, 2);
    await hold.release();
    await (await waiting).release();
  });

  test('no room: an acquisition says so and is not held, a hold stays and is released, and all goes on with room again', async () => {
    const name = '/faults/full';
    const one = await open();
    const hold = await one.locks.lock(name).acquire();
    const disarm = await raiseAlarm(cluster, cluster.servers[0]!);
    const refused: unknown = await one.locks
      .lock(`${name}-other`)
      .acquire({ timeoutMs: 5000 })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StoreFullError);
    expect(refused).toMatchObject({ code: 'ENGINE', retryable: true });
    hold.throwIfLost();
    await hold.release();
    expect(await ticketsOf(cluster, name)).toEqual([]);
    await disarm();
    await one.locks.lock(`${name}-other`).run((next) => expect(next.fence).toBeGreaterThan(hold.fence));
  });
});
