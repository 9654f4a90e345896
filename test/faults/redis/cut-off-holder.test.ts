import { expect, test } from 'vitest';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { startTcpProxy, type TcpProxy } from '../../fixtures/network/tcp-proxy.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { holdables } from './holdables.ts';
import { lossOf } from './losses.ts';
import { CLIENT_NAMES, openLocks } from './open-locks.ts';

const renewalLeaseMs = 1500;

/** The ways in which a server can be out of reach for one client and not for another. */
const cuts: Readonly<Record<string, (proxy: TcpProxy) => void>> = {
  'nothing gets through any more': (proxy) => proxy.blackHole(),
  'requests arrive and replies do not': (proxy) => proxy.toClient.drop(),
  'connections are reset and refused': (proxy) => {
    proxy.refuse();
    proxy.reset();
  },
};

describeRedis('a holder that is cut off from its server', () => {
  for (const client of CLIENT_NAMES) {
    for (const [how, cut] of Object.entries(cuts)) {
      test.concurrent(`${client}: ${how}: hold.lost fires before another owner acquires`, async () => {
        await using server = await startRedisServer();
        await using proxy = await startTcpProxy(server);
        await using locks = await openLocks(client, proxy, { renewalLeaseMs, commandTimeoutMs: 400 });
        await using other = await openLocks(client, server, { renewalLeaseMs });
        const all = holdables(locks);
        const held = await Promise.all(all.map(({ acquire }) => acquire()));
        const lostAtMs = held.map(async (hold) => (await lossOf(hold)).atMs);
        const contended = new Set<string>();
        other.on('contended', ({ kind }) => contended.add(kind));
        const heldAtMs = holdables(other).map(async ({ acquire }) => {
          await acquire();
          return performance.now();
        });
        await waitFor('all of them wait', () => contended.size === all.length);

        cut(proxy);

        for (const [at, { kind }] of all.entries()) {
          const early = ((await heldAtMs[at]) ?? 0) - ((await lostAtMs[at]) ?? Infinity);
          expect({ kind, early: early > 0 }).toEqual({ kind, early: true });
        }
        await proxy.heal();
      });
    }
  }
});

describeRedis('a keeper', () => {
  test.concurrent.each(CLIENT_NAMES)(
    '%s: goes on to renew whatever goes wrong in between',
    async (client) => {
      await using server = await startRedisServer();
      await using proxy = await startTcpProxy(server);
      await using locks = await openLocks(client, proxy, { renewalLeaseMs: 3000, commandTimeoutMs: 300 });
      const held = await Promise.all(holdables(locks).map(({ acquire }) => acquire()));
      const outcomes: unknown[] = [];
      locks.on('renew', ({ error }) => outcomes.push(error));
      const renewals = (): number => outcomes.filter((error) => error === undefined).length;

      const troubles: readonly (() => void | Promise<unknown>)[] = [
        () => proxy.reset(),
        () => void proxy.dropNextReply(2),
        () => server.command('SCRIPT', 'FLUSH'),
        () => server.command('CLIENT', 'PAUSE', 200),
        () => proxy.reset(),
        () => server.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'),
      ];
      for (const cause of troubles) {
        const before = renewals();
        await cause();
        await waitFor('all are renewed again', () => renewals() >= before + held.length);
      }
      expect(held.filter((hold) => hold.remainingMs === 0)).toEqual([]);
      for (const hold of held) await hold.release();
    },
  );
});
