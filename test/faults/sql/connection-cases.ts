import { describe, expect, test } from 'vitest';
import { startTcpProxy } from '../../fixtures/network/tcp-proxy.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { type Database, pools } from './databases.ts';
import type { Ground } from './ground.ts';
import { MuteProxy } from './mute-proxy.ts';

const DEADLINE_MS = 20_000;
/** Those of a client that opens and closes its connections by itself, so that we can only ask for it. */
const KEEPS_TO_ITSELF = 'postgres.js';

export function connectionCases(database: Database, ground: () => Ground): void {
  describe.each(database.clients)('connections of %s', (client) => {
    test(
      'killed right after a change: it has happened once, and its caller learns it (soundness 2, 3)',
      async () => {
        const { server, admin } = ground();
        await using proxy = await startTcpProxy(server);
        const url = server.urlFor(server.user, server.password, proxy.port);
        // The answer does not come because the connection is gone, and not because the time is over. It has only this one: a
        // new one would not be answered, either.
        await using locks = database.open(url, { client, most: 1, commandTimeoutMs: 20_000 });
        const latch = locks.latch(`counted ${client}`);
        await latch.trySetCount(3);
        const lock = locks.lock(`unknown ${client}`);
        await lock.run(() => undefined);

        const happened = async (step: () => Promise<unknown>, fact: () => Promise<boolean>) => {
          // What it is decided on must be known, and how to write it: no question would be answered.
          await latch.count();
          await lock.isLocked();
          for (let time = 0; time < 2; time++) await locks.lock(`warm ${client}`).run(() => undefined);
          proxy.toClient.drop();
          const under = step();
          await waitFor('it has happened', fact, DEADLINE_MS);
          await database.killOthers(admin.pool.client);
          await proxy.heal();
          return under;
        };
        const hold = (await happened(
          () => lock.acquire(),
          () => admin.lock(`unknown ${client}`).isLocked(),
        )) as Awaited<ReturnType<typeof lock.acquire>>;
        expect((await admin.lock(`unknown ${client}`).holder())?.fence, 'granted once').toBe(hold.fence);
        const left = (): Promise<number> => admin.latch(`counted ${client}`).count();
        await happened(
          () => latch.countDown(),
          async () => (await left()) === 2,
        );
        expect(await left(), 'counted once').toBe(2);
        await happened(
          () => hold.release(),
          async () => !(await admin.lock(`unknown ${client}`).isLocked()),
        );
        expect(hold.lost.aborted).toBe(false);
      },
      3 * DEADLINE_MS,
    );

    test(
      'the only one of a pool serves holders and waiters alike',
      async () => {
        const { server } = ground();
        await using one = database.open(server.url, { client, most: 1 });
        await using other = database.open(server.url, { client, most: 1 });
        let count = 0;
        const work = (locks: typeof one): Promise<void> =>
          locks.lock(`narrow ${client}`).run(async () => {
            const before = count;
            await new Promise((resolve) => setImmediate(resolve));
            count = before + 1;
          });
        await Promise.all(Array.from({ length: 10 }, () => [work(one), work(other)]).flat());
        expect(count).toBe(20);
        const hold = await one.fairLock(`narrow ${client}`).acquire();
        const waiting = other.fairLock(`narrow ${client}`).acquire();
        await waitFor('it waits', async () => (await one.fairLock(`narrow ${client}`).waiters()) === 1);
        await hold.release();
        await (await waiting).release();
      },
      DEADLINE_MS,
    );

    test(
      'of one pool are enough for several engine objects, though one of them listens',
      async () => {
        const { server } = ground();
        const pool = pools[database.engine][client]!(server.url, 2);
        const engines = [1, 2, 3].map(() => database.openOver(pool.pool));
        const hold = await engines[0]!.lock(`shared ${client}`).acquire();
        const waiting = engines.map((locks) => locks.lock(`shared ${client}`).run(({ fence }) => fence));
        await waitFor('all wait', async () => (await engines[1]!.lock(`shared ${client}`).waiters()) >= 2);
        await hold.release();
        const fences = await Promise.all(waiting);
        expect(new Set(fences).size).toBe(3);
        for (const locks of engines) await locks.close();
        await pool.end();
      },
      DEADLINE_MS,
    );

    test.skipIf(client === KEEPS_TO_ITSELF)(
      'that have gone silent are replaced, and closing does not wait for them',
      async () => {
        const { server, admin } = ground();
        using proxy = await MuteProxy.start(server.port);
        const url = server.urlFor(server.user, server.password, proxy.port);
        // Without what is replaced there would be none left: pg has one more that listens. The client for MariaDB gives its
        // connections two seconds to end, and needs another one meanwhile.
        const pool = pools[database.engine][client]!(url, client === 'mysql2' ? 1 : 2);
        const locks = database.openOver(pool.pool, { commandTimeoutMs: 500, renewalLeaseMs: 4000 });
        const name = `silent ${client}`;
        await locks.lock(name).run(() => undefined);
        const held = await admin.lock(name).acquire();
        const waiting = locks.lock(name).acquire();
        await waitFor('it waits', async () => (await admin.lock(name).waiters()) === 1);
        proxy.mute();
        await held.release();
        const hold = await waiting;
        expect(hold.fence > held.fence).toBeTruthy();
        hold.throwIfLost();
        await hold.release();
        proxy.mute();
        await locks.close();
        // The pool has heard nothing of what it believes to be open.
        void pool.end().catch(() => undefined);
      },
      DEADLINE_MS,
    );
  });
}
