import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../../fixtures/wait-for.ts';
import { describeZooKeeper } from '../../fixtures/zookeeper/zookeeper-jars.ts';
import { startZooKeeper, type ZooKeeperServer } from '../../fixtures/zookeeper/zookeeper-server.ts';
import { opCode } from '../../../src/engines/zookeeper/client/protocol/operation.ts';
import { systemClock, systemRandom } from '../../../src/core/time/clock.ts';
import { ZooKeeperClient } from '../../../src/engines/zookeeper/client/zookeeper-client.ts';
import { holdables } from './holdables.ts';
import { openProxied } from './proxied-locks.ts';
import { ticketsIn } from './tickets-in.ts';

const SHORT_SESSION_MS = 2000;
const FLAPPING_SESSION_MS = 4000;
const LONGEST_PAUSE_MS = 150;

describeZooKeeper('the session of a holder', { timeout: 60_000 }, () => {
  let server: ZooKeeperServer;
  let raw: ZooKeeperClient;
  beforeAll(async () => {
    server = await startZooKeeper();
    raw = new ZooKeeperClient({ servers: server.address, clock: systemClock, random: systemRandom });
  }, 60_000);
  afterAll(async () => {
    await raw?.close();
    await server?.stop();
  });

  describe.concurrent.each(holdables)('$kind', ({ kind, folders, holds, acquire }) => {
    const nameOf = (what: string) => `/sessions/${kind}/${what}`;
    const linesOf = (name: string) => folders.map((folder) => name + folder);
    const leases = folders.at(-1)!;

    test('that the server has ended ends the hold, and the next session never revives it', async () => {
      await using client = await openProxied([server]);
      const name = nameOf('ended');
      const hold = await acquire(client.locks, name);
      const lost = whenLost(hold);
      client.proxy.endSession();
      await lost;
      const next = await acquire(client.locks, name, { timeoutMs: 20_000 });
      expect(next.fence).toBeGreaterThan(hold.fence);
      expect(hold.lost.aborted).toBe(true);
      await expect(hold.release()).rejects.toMatchObject({ code: 'LEASE_LOST' });
      // What the release of the old hold deletes must not be what the new one stands on.
      next.throwIfLost();
      expect(await ticketsIn(raw, linesOf(name))).not.toEqual([]);
      await next.release();
    });

    test('that is cut off is over at its deadline, and the next session never revives the hold', async () => {
      await using client = await openProxied([server], { sessionMs: SHORT_SESSION_MS });
      const name = nameOf('silent');
      const hold = await acquire(client.locks, name);
      const lost = whenLost(hold);
      const pass = client.silence();
      await lost;
      pass();
      const again = await acquire(client.locks, name, { timeoutMs: 20_000 });
      expect(again.fence).toBeGreaterThan(hold.fence);
      expect(hold.lost.aborted).toBe(true);
      await expect(hold.release()).rejects.toMatchObject({ code: 'LEASE_LOST' });
      again.throwIfLost();
      await again.release();
    });

    test('that flaps loses nothing and makes no ticket again, of holders and of waiters', async () => {
      const sessionMs = FLAPPING_SESSION_MS;
      await using client = await openProxied([server], { sessionMs });
      await using other = await openProxied([server], { sessionMs });
      const name = nameOf('flapping');
      const hold = await acquire(client.locks, name);
      const waiting = acquire(other.locks, name);
      const list = () => ticketsIn(raw, linesOf(name));
      // A waiter of the semaphore has leases too, and the mutex in front of them.
      const standing = 2 * holds + folders.length - 1;
      await waitFor('the waiter stands in line', async () => (await list()).length === standing);
      const before = await list();
      const made = () => [client, other].map(({ proxy }) => count(proxy.requests, opCode.create));
      const creates = made();
      const since = performance.now();
      // Longer than the session: it is kept alive by what gets through between two breaks.
      while (performance.now() - since < sessionMs * 1.5) {
        client.proxy.reset();
        other.proxy.reset();
        await waitFor('both are connected again', () => client.proxy.open > 0 && other.proxy.open > 0);
        await pause(LONGEST_PAUSE_MS * Math.random());
      }
      expect(await list()).toEqual(before);
      expect(made()).toEqual(creates);
      hold.throwIfLost();
      await hold.release();
      await (await waiting).release();
    });

    test('goes on when the ticket is deleted by hand: the hold is lost', async () => {
      await using client = await openProxied([server]);
      const name = nameOf('deleted');
      const hold = await acquire(client.locks, name);
      const lost = whenLost(hold);
      const [ticket] = await ticketsIn(raw, [name + leases]);
      await raw.delete(ticket!);
      await lost;
      await expect(hold.release()).rejects.toMatchObject({ code: 'LEASE_LOST' });
      await waitFor('no ticket is left', async () => (await ticketsIn(raw, linesOf(name))).length === 0);
    });
  });

  describe.concurrent.each(holdables.filter(({ excludes }) => excludes))(
    '$kind',
    ({ kind, folders, acquire }) => {
      const [first] = folders;

      test('that is cut off is over for its holder before another client is in', async () => {
        await using client = await openProxied([server], { sessionMs: SHORT_SESSION_MS });
        await using other = await openProxied([server]);
        const name = `/sessions/${kind}/before`;
        const hold = await acquire(client.locks, name);
        let lostAt = Infinity;
        hold.lost.addEventListener('abort', () => {
          lostAt = performance.now();
        });
        const pass = client.silence();
        const next = await acquire(other.locks, name, { timeoutMs: 20_000 });
        expect(lostAt).toBeLessThan(performance.now());
        await next.release();
        pass();
      });

      test('goes on when the ticket of a waiter is deleted by hand: it joins the line again', async () => {
        await using client = await openProxied([server]);
        await using other = await openProxied([server]);
        const name = `/sessions/${kind}/waiter`;
        const hold = await acquire(client.locks, name);
        const before = new Set(await ticketsIn(raw, [name + first!]));
        const waiting = acquire(other.locks, name);
        const ticket = await waitFor('the waiter stands in line', async () =>
          (await ticketsIn(raw, [name + first!])).find((one) => !before.has(one)),
        );
        await raw.delete(ticket);
        await hold.release();
        await (await waiting).release();
        expect(await ticketsIn(raw, [name + first!])).toEqual([]);
      });
    },
  );
});

function whenLost({ lost }: { readonly lost: AbortSignal }): Promise<void> {
  return new Promise((resolve) => {
    lost.addEventListener('abort', () => resolve());
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

function count(codes: readonly number[], code: number): number {
  return codes.filter((each) => each === code).length;
}
