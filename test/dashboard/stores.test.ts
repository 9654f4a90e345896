import { hostname } from 'node:os';
import { join } from 'node:path';
import { rmSync } from 'node:fs';
import { connect, type Locks } from 'holdfast';
import { dashboard, type Dashboard } from 'holdfast/dashboard';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { fastFolder } from '../engines/sqlite/fast-folder.ts';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../fixtures/redis/redis-server.ts';
import { startMariadb } from '../fixtures/sql/mariadb-server.ts';
import { PASSWORD, startPostgres } from '../fixtures/sql/postgres-server.ts';
import { describeWith } from '../fixtures/sql/sql-binaries.ts';
import { describeZooKeeper } from '../fixtures/zookeeper/zookeeper-jars.ts';
import { startZooKeeper } from '../fixtures/zookeeper/zookeeper-server.ts';
import { FrameStream } from './frame-stream.ts';

// Thousands of locks, or several servers, on cores that are shared with many other tests.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 90_000 });

const TOKEN = 'a-token-of-some-length';
const HEADERS = { authorization: `Bearer ${TOKEN}`, 'x-holdfast-release': '1' };

interface Place {
  readonly url: string;
  stop(): unknown;
}

/** What the page needs of a store: two engine objects, as two programs. */
function shows(start: () => Promise<Place>): void {
  let place: Place;
  let worker: Locks;
  let looking: Locks;
  let board: Dashboard;
  let stream: FrameStream;

  beforeAll(async () => {
    place = await start();
    worker = await connect(place.url, { name: 'checkout' });
    looking = await connect(place.url);
    board = dashboard(looking, { allowRelease: { token: TOKEN } });
    stream = new FrameStream(await board(new Request('http://localhost/events')));
  });

  afterAll(async () => {
    board.close();
    await worker.close();
    await looking.close();
    await place.stop();
  });

  test('who holds, since when, for how long, with which fence, and who waits', async () => {
    const hold = await worker.fairLock('orders:7').acquire();
    const waiting = worker.fairLock('orders:7').acquire();
    await stream.shows('orders:7');
    await expect.poll(() => stream.row('orders:7')?.waiters.count, { timeout: 30_000 }).toBe(1);
    await expect.poll(() => stream.row('orders:7')?.holders[0]?.client, { timeout: 30_000 }).toBeDefined();
    const { kind, holders } = stream.row('orders:7')!;
    expect(kind).toBe('fairLock');
    expect(holders).toMatchObject([
      {
        fence: String(hold.fence),
        program: 'holdfast',
        client: { name: 'checkout', host: hostname(), pid: process.pid, command: expect.any(String) },
        heldForMs: expect.any(Number),
      },
    ]);
    // A hold in a session has no end of its own.
    expect(holders[0]!.remainingMs ?? Infinity).toBeGreaterThan(1_000);
    const details = await board(new Request('http://localhost/details?kind=fairLock&name=orders:7'));
    expect(await details.json()).toMatchObject({
      line: {
        order: 'turns',
        places: [{ program: 'holdfast', client: { name: 'checkout', pid: process.pid } }],
      },
    });
    await hold.release();
    await (await waiting).release();
    await stream.hides('orders:7');
  });

  test('a hold that was taken away is gone, and the next fence is higher', async () => {
    const hold = await worker.lock('stuck').acquire();
    const { kind, name, holders } = await stream.shows('stuck');
    const { owner, fence } = holders[0]!;
    const query = new URLSearchParams({ kind, name, owner, fence: fence! }).toString();
    const release = () =>
      board(new Request(`http://localhost/release?${query}`, { method: 'POST', headers: HEADERS }));
    expect(await (await release()).json()).toEqual({ released: true });
    expect(await (await release()).json()).toEqual({ released: false });
    await stream.hides('stuck');
    // Of the other engine object: the worker learns of it at its next renewal, and grants to no other before.
    await using next = await looking.lock('stuck').acquire();
    expect(next.fence > hold.fence).toBe(true);
    await hold.release().catch(() => undefined);
  });

  test('the address of the store is nowhere in what the page gets', async () => {
    await using hold = await worker.lock('a').acquire();
    const asked = ['/', '/snapshot', '/details?kind=lock&name=a'].map(async (path) =>
      (await board(new Request(`http://localhost${path}`))).text(),
    );
    const all = [...(await Promise.all(asked)), JSON.stringify(stream.frames)].join('\n');
    expect(all).not.toContain(PASSWORD);
    expect(all).not.toContain(place.url);
    expect(hold.fence > 0n).toBe(true);
  });
}

describe('a dashboard of SQLite', () => {
  shows(async () => {
    const folder = fastFolder();
    return {
      url: `sqlite:${join(folder, 'locks.db')}`,
      stop: () => rmSync(folder, { recursive: true, force: true }),
    };
  });
});

describeRedis('a dashboard of Redis', () => {
  shows(() => startRedisServer({ args: { requirepass: PASSWORD } }));
});

describeWith('postgres')('a dashboard of PostgreSQL', () => {
  shows(() => startPostgres());
});

describeWith('mariadb')('a dashboard of MariaDB', () => {
  shows(() => startMariadb());
});

describeZooKeeper('a dashboard of ZooKeeper', () => {
  shows(async () => {
    const server = await startZooKeeper();
    return { url: `zookeeper://127.0.0.1:${server.port}`, stop: () => server.stop() };
  });
});
