import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { describeEtcd } from '../../fixtures/etcd/describe-etcd.ts';
import { type EtcdCluster, startCluster } from '../../fixtures/etcd/etcd-cluster.ts';
import type { EtcdServer } from '../../fixtures/etcd/etcd-server.ts';
import { ProcessClock } from '../../fixtures/processes/process-clock.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { ticketsOf } from './injections.ts';
import { openProxiedEtcd, type ProxiedEtcd } from './proxied-etcd.ts';

const SESSION_MS = 3000;
const HOUR_S = 3600;
/** A member looks for leases that are over twice a second, and the revocation goes through the log. */
const LATE_MS = 5000;
const SOON_MS = 30_000;
const name = '/faults/clock';

const steps: readonly (readonly [string, 'leader' | 'follower', number])[] = [
  ['forwards, the leader', 'leader', HOUR_S],
  ['backwards, the leader', 'leader', -HOUR_S],
  ['forwards, a follower', 'follower', HOUR_S],
  ['backwards, a follower', 'follower', -HOUR_S],
];

describeEtcd('the clock of a member steps by an hour', { timeout: 90_000 }, () => {
  let cluster!: EtcdCluster;
  beforeEach(async () => {
    cluster = await startCluster();
    return () => cluster.stop();
  }, 60_000);

  /** A client at this member alone. */
  async function openAt(server: EtcdServer): Promise<ProxiedEtcd> {
    const client = await openProxiedEtcd([server], { sessionMs: SESSION_MS });
    onTestFinished(() => client[Symbol.asyncDispose]());
    return client;
  }

  /** How long a lease lasts that no client keeps alive. */
  async function leaseLastsMs(server: EtcdServer): Promise<number> {
    const from = performance.now();
    const { ID } = await server.ask('lease/grant', { TTL: SESSION_MS / 1000 });
    const isOver = async () => (await server.ask('lease/timetolive', { ID }))['TTL'] === '-1';
    await waitFor('the lease is over', isOver, SOON_MS);
    return performance.now() - from;
  }

  test.runIf(ProcessClock.isAvailable).each(steps)(
    '%s: one holder at a time, and a lost hold is lost in time',
    async (_, role, seconds) => {
      const stepped = await cluster[role]();
      const other = cluster.servers.find((server) => server !== stepped)!;
      const [one, two] = [await openAt(stepped), await openAt(other)];
      const hold = await one.locks.lock(name).acquire();
      const waiting = two.locks.lock(name).acquire();
      const granted = waiting.then(({ fence }) => ({ fence, at: performance.now() }));
      granted.catch(() => undefined);
      await waitFor('two tickets', async () => (await ticketsOf(cluster, name)).length === 2, SOON_MS);
      await stepped.setClockAhead(seconds);
      expect((await stepped.epochMs()) - Date.now()).toBeCloseTo(seconds * 1000, -4);

      // The time of leases neither jumps nor stands still, and in all that time the holder stays and the waiter waits.
      const lastsMs = await leaseLastsMs(stepped);
      expect(lastsMs).toBeGreaterThanOrEqual(SESSION_MS);
      expect(lastsMs).toBeLessThan(SESSION_MS + LATE_MS);
      hold.throwIfLost();
      expect(await ticketsOf(cluster, name)).toHaveLength(2);

      const lost = new Promise<number>((resolve) => {
        hold.lost.addEventListener('abort', () => resolve(performance.now()));
      });
      const silentFrom = performance.now();
      onTestFinished(one.silence());
      // The deadline itself: on a busy machine its timer is called later.
      expect(hold.remainingMs).toBeLessThan(SESSION_MS);
      expect(await lost).toBeLessThan((await granted).at);
      expect((await granted).at - silentFrom).toBeLessThan(SESSION_MS + LATE_MS);
      expect((await granted).fence).toBeGreaterThan(hold.fence);

      await stepped.setClockAhead(0);
      await (await waiting).release();
    },
  );

  test.runIf(ProcessClock.isAvailable)(
    'and back: a leader that keeps the lock of a dead client taken gives it away once another member leads',
    async () => {
      const leader = await cluster.leader();
      const other = cluster.servers.find((server) => server !== leader)!;
      const [one, two] = [await openAt(other), await openAt(other)];
      await leader.setClockAhead(HOUR_S);
      const hold = await one.locks.lock(name).acquire();
      const waiting = two.locks.lock(name).acquire();
      await waitFor('two tickets', async () => (await ticketsOf(cluster, name)).length === 2, SOON_MS);
      onTestFinished(one.silence());
      await leader.setClockAhead(0);
      await cluster.moveLeaderFrom(leader);
      const next = await waiting;
      expect(next.fence).toBeGreaterThan(hold.fence);
      await next.release();
    },
  );
});
