import { join } from 'node:path';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { connect, type Description, type Kind, type Locks } from 'holdfast';
import { describeEtcd } from '../fixtures/etcd/describe-etcd.ts';
import { startEtcd } from '../fixtures/etcd/etcd-server.ts';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../fixtures/redis/redis-server.ts';
import { startMariadb } from '../fixtures/sql/mariadb-server.ts';
import { startPostgres } from '../fixtures/sql/postgres-server.ts';
import { describeWith } from '../fixtures/sql/sql-binaries.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { describeZooKeeper } from '../fixtures/zookeeper/zookeeper-jars.ts';
import { startZooKeeper } from '../fixtures/zookeeper/zookeeper-server.ts';
import { fastFolder } from './sqlite/fast-folder.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 90_000 });

/** Enters, in time, and answers what leaves again. */
type Enter = (locks: Locks, name: string) => Promise<() => unknown>;

const release = (hold: { release(): Promise<void> }) => () => hold.release();

const ENTER: { readonly [K in Exclude<Kind, 'latch' | 'barrier'>]: Enter } = {
  lock: async (locks, name) => release(await locks.lock(name).acquire()),
  fairLock: async (locks, name) => release(await locks.fairLock(name).acquire()),
  readWriteLock: async (locks, name) => release(await locks.readWriteLock(name).write.acquire()),
  semaphore: async (locks, name) =>
    release(await locks.semaphore(name, { permits: 2 }).acquire({ permits: 2 })),
  permitSemaphore: async (locks, name) =>
    release(await locks.permitSemaphore(name, { permits: 2 }).acquire({ permits: 2 })),
  election: async (locks, name) => {
    const term = await locks.election(name).campaign({ value: 'me' });
    return () => term.resign();
  },
  monitor: (locks, name) =>
    new Promise((entered, failed) => {
      const section = locks.monitor(name, { initial: 0 }).run(async () => {
        await new Promise<void>((leave) =>
          entered(() => {
            leave();
            return section;
          }),
        );
      });
      section.catch(failed);
    }),
};

interface Place {
  readonly url: string;
  stop(): unknown;
}

interface Knowledge {
  readonly turns: readonly (keyof typeof ENTER)[];
  readonly any: readonly (keyof typeof ENTER)[];
  readonly unknown: readonly (keyof typeof ENTER)[];
}

function knowsWaiters(start: () => Promise<Place>, knowledge: Knowledge): void {
  let place: Place;
  const clients: Locks[] = [];
  const named = new Map<string, Locks>();

  beforeAll(async () => {
    place = await start();
    for (const name of ['holder', 'first', 'second']) {
      const locks = await connect(place.url, { name });
      clients.push(locks);
      named.set(name, locks);
      // A client that has held something has said who it is.
      await locks.lock(`announced by ${name}`).run(() => undefined);
    }
  });

  afterAll(async () => {
    for (const locks of clients) await locks.close();
    await place?.stop();
  });

  const seen = async (kind: Kind, name: string): Promise<Description> =>
    (await named.get('holder')!.inspector.describe(kind, name))!;

  const namesIn = ({ line }: Description) => {
    expect.assert(line.order !== 'unknown');
    return line.places.map(({ client }) => client?.name);
  };

  /** One holds, and two wait who came one after the other. */
  async function crowd(kind: keyof typeof ENTER, name: string) {
    const enter = ENTER[kind];
    const leave = await enter(named.get('holder')!, name);
    const waiting: Promise<() => unknown>[] = [];
    for (const who of ['first', 'second']) {
      waiting.push(enter(named.get(who)!, name));
      await waitFor(`${who} waits`, async () => {
        const { count, clients: listening = 0 } = (await seen(kind, name)).waiters;
        return Math.max(count, listening) === waiting.length;
      });
    }
    return { leave, waiting };
  }

  test.each(knowledge.turns)('%s: who waits, by name, in the order of turns', async (kind) => {
    const name = `turns of ${kind}`;
    const { leave, waiting } = await crowd(kind, name);
    const { line } = await seen(kind, name);
    expect(line.order).toBe('turns');
    await waitFor('both have a name', async () => namesIn(await seen(kind, name)).join() === 'first,second');
    await leave();
    const next = await waiting[0]!;
    await waitFor('one is left', async () => namesIn(await seen(kind, name)).join() === 'second');
    await next();
    await (
      await waiting[1]!
    )();
  });

  test.each(knowledge.any)('%s: who waits, by name, and that any of them may be next', async (kind) => {
    const name = `any of ${kind}`;
    const { leave, waiting } = await crowd(kind, name);
    expect((await seen(kind, name)).line.order).toBe('any');
    await waitFor('both have a name', async () =>
      /first,second|second,first/.test(namesIn(await seen(kind, name)).join()),
    );
    await leave();
    await Promise.all(waiting.map(async (entered) => (await entered)()));
  });

  test.each(knowledge.unknown)('%s: that it is not known who waits', async (kind) => {
    const name = `unknown of ${kind}`;
    const { leave, waiting } = await crowd(kind, name);
    expect((await seen(kind, name)).line).toEqual({ order: 'unknown' });
    await leave();
    await Promise.all(waiting.map(async (entered) => (await entered)()));
  });

  const isKnown = (kind: keyof typeof ENTER): boolean => !knowledge.unknown.includes(kind);

  test.runIf(isKnown('readWriteLock'))('a read-write lock: which side each waits for', async () => {
    const leave = await ENTER.readWriteLock(named.get('holder')!, 'sides');
    const reader = named.get('first')!.readWriteLock('sides').read.acquire();
    await waitFor('it waits', async () => (await seen('readWriteLock', 'sides')).waiters.count === 1);
    expect((await seen('readWriteLock', 'sides')).line).toMatchObject({ places: [{ side: 'read' }] });
    await leave();
    await (await reader).release();
  });

  test.runIf(isKnown('semaphore'))('a semaphore: how many permits each waits for', async () => {
    const { leave, waiting } = await crowd('semaphore', 'permits');
    const { line } = await seen('semaphore', 'permits');
    expect.assert(line.order !== 'unknown');
    // In Curator's layout, a waiter does not write down how many.
    const permits = place.url.startsWith('zookeeper') ? undefined : 2;
    expect(line.places.map((one) => one.permits)).toEqual([permits, permits]);
    await leave();
    await Promise.all(waiting.map(async (entered) => (await entered)()));
  });

  test('a barrier: who has arrived; a latch: that it is not known who waits', async () => {
    const arrived = ['first', 'second'].map((who) =>
      named.get(who)!.barrier('meeting', { parties: 3 }).arrive(),
    );
    await waitFor('two have arrived', async () => (await seen('barrier', 'meeting'))?.waiters.count === 2);
    const meeting = await seen('barrier', 'meeting');
    expect(meeting.line.order).toBe('any');
    expect(new Set(namesIn(meeting))).toEqual(new Set(['first', 'second']));
    await named.get('holder')!.barrier('meeting', { parties: 3 }).arrive();
    await Promise.all(arrived);
    const latch = named.get('first')!.latch('gate');
    await latch.trySetCount(1);
    const through = latch.await();
    expect((await seen('latch', 'gate')).line).toEqual({ order: 'unknown' });
    await latch.countDown();
    await through;
  });
}

const RULES: Knowledge = {
  turns: ['fairLock', 'semaphore', 'permitSemaphore', 'election', 'monitor'],
  any: ['lock', 'readWriteLock'],
  unknown: [],
};
const LINES: Knowledge = {
  turns: ['lock', 'fairLock', 'readWriteLock', 'semaphore', 'election', 'monitor'],
  any: [],
  unknown: [],
};

describe('the waiters that SQLite knows', () => {
  knowsWaiters(async () => {
    const folder = fastFolder();
    return {
      url: `sqlite:${join(folder, 'locks.db')}`,
      stop: () => rmSync(folder, { recursive: true, force: true }),
    };
  }, RULES);
});

describeWith('postgres')('the waiters that PostgreSQL knows', () => {
  knowsWaiters(() => startPostgres(), RULES);
});

describeWith('mariadb')('the waiters that MariaDB knows', () => {
  knowsWaiters(() => startMariadb(), RULES);
});

describeRedis('the waiters that Redis knows', () => {
  knowsWaiters(() => startRedisServer(), {
    turns: ['fairLock', 'election', 'monitor'],
    any: [],
    unknown: ['lock', 'readWriteLock', 'semaphore', 'permitSemaphore'],
  });
});

describeZooKeeper('the waiters that ZooKeeper knows', () => {
  knowsWaiters(async () => {
    const server = await startZooKeeper();
    return { url: `zookeeper://127.0.0.1:${server.port}`, stop: () => server.stop() };
  }, LINES);
});

describeEtcd('the waiters that etcd knows', () => {
  knowsWaiters(
    async () => {
      const server = await startEtcd();
      return { url: `etcd://${server.address}`, stop: () => server.stop() };
    },
    { ...LINES, turns: [...LINES.turns, 'permitSemaphore'] },
  );
});
