import { expect, test } from 'vitest';
import type { SqlClient } from '../../../src/engines/sql/sql-client.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import type { Database } from './databases.ts';
import type { Ground } from './ground.ts';
import { toldClient } from './told-client.ts';

const WAITERS = 200;
const WINDOW_MS = 3000;
const LONG_MS = 10 * 60 * 1000;
const DEADLINE_MS = 20_000;
/** A place lasts 30 s at the default lease. It is renewed at the first try that finds less than half of that: after 20 s. */
const PLACE_MS = 21_000;

/** How often at most the rows are looked at in the window: where the database sends no message, every 25 to 75 ms; else every 2.5 s or later. */
const MOST_LOOKS = { postgres: 3, mysql: WINDOW_MS / 25 } as const;

export function idleCases(database: Database, ground: () => Ground): void {
  test(
    '200 who wait for 200 names with a lease of ten minutes ask one question for all of them, from time to time',
    async () => {
      const { server, admin } = ground();
      const asked: string[] = [];
      const through = (client: SqlClient) => toldClient(client, (text) => asked.push(text));
      await using locks = database.open(server.url, { renewalLeaseMs: LONG_MS, through });
      const names = Array.from({ length: WAITERS }, (_, at) => `idle ${at}`);
      const held = await Promise.all(names.map((name) => admin.lock(name).acquire({ leaseMs: LONG_MS })));
      const contended = new Set<string>();
      locks.on('contended', ({ name }) => contended.add(name));
      const waiting = names.map((name) => locks.lock(name).run(({ fence }) => fence));
      await waitFor('all wait', () => contended.size === WAITERS, DEADLINE_MS);
      await waitFor('they have asked for the last time', async () => {
        const before = asked.filter((text) => !isLook(text)).length;
        await new Promise((resolve) => setTimeout(resolve, 300));
        return asked.filter((text) => !isLook(text)).length === before;
      });
      asked.length = 0;
      await new Promise((resolve) => setTimeout(resolve, WINDOW_MS));
      expect(
        asked.filter((text) => !isLook(text)),
        'no waiter asks by itself',
      ).toStrictEqual([]);
      expect(asked.length <= MOST_LOOKS[database.engine], `${asked.length} looks`).toBeTruthy();
      for (const hold of held) await hold.release();
      const fences = await Promise.all(waiting);
      expect(fences.every((fence, at) => fence > held[at]!.fence)).toBeTruthy();
    },
    2 * DEADLINE_MS,
  );

  test(
    'at the default lease 200 who wait for 200 names look at no more than half of them, and renew no more than 300 places in 21 seconds',
    async () => {
      const { server, admin } = ground();
      const asked: string[] = [];
      const through = (client: SqlClient) => toldClient(client, (text) => asked.push(text));
      await using locks = database.open(server.url, { through, most: 10 });
      const names = Array.from({ length: WAITERS }, (_, at) => `idle at the default ${at}`);
      const held = await Promise.all(names.map((name) => admin.lock(name).acquire({ leaseMs: LONG_MS })));
      const places = () => Promise.all(names.map((name) => admin.lock(name).waiters()));
      const waiting = Promise.all(names.map((name) => locks.lock(name).run(({ fence }) => fence)));
      waiting.catch(() => undefined);
      await waitFor('all wait', async () => (await places()).every((waiters) => waiters === 1), DEADLINE_MS);
      asked.length = 0;
      await new Promise((resolve) => setTimeout(resolve, PLACE_MS));
      const single = asked.filter((text) => !isLook(text));
      const reads = single.filter((text) => /^\s*select/i.test(text)).length;
      // On a busy machine a renewal may come too late and take a look.
      expect(reads <= WAITERS / 2, `${reads} looks at one name`).toBeTruthy();
      expect(single.length - reads <= 1.5 * WAITERS, `${single.length - reads} places renewed`).toBeTruthy();
      expect(new Set(await places()), 'no place has lapsed').toStrictEqual(new Set([1]));
      for (const hold of held) await hold.release();
      const fences = await waiting;
      expect(fences.every((fence, at) => fence > held[at]!.fence)).toBeTruthy();
    },
    5 * DEADLINE_MS,
  );

  test('without notifications they poll as often as pollMs says', async () => {
    const { server, admin } = ground();
    await using held = await admin.lock('looked at').acquire({ leaseMs: LONG_MS });
    const waiting = new AbortController();
    const startAt = (pollMs: number) => {
      const looks: string[] = [];
      const through = (client: SqlClient) =>
        withoutListening(toldClient(client, (text) => isLook(text) && looks.push(text)));
      const locks = database.open(server.url, { pollMs, through });
      const over = locks
        .lock('looked at')
        .acquire({ signal: waiting.signal })
        .catch(() => undefined);
      return { looks, locks, over };
    };
    const seldom = startAt(60_000);
    await waitFor('the first look of one', () => seldom.looks.length === 1, DEADLINE_MS);
    const often = startAt(20);
    await waitFor('many of the other', () => often.looks.length >= 20, DEADLINE_MS);
    expect(seldom.looks.length).toBe(1);
    waiting.abort();
    await Promise.all([seldom.over, often.over]);
    await Promise.all([seldom, often].map(({ locks }) => locks[Symbol.asyncDispose]()));
    expect(held.remainingMs > 0).toBeTruthy();
    expect(() => database.openOver(() => Promise.resolve([]), { pollMs: 1 })).toThrow(/pollMs/u);
  });
}

function withoutListening(client: SqlClient): SqlClient {
  return { ...client, listen: undefined };
}

/** At the counts of wake-ups, of all names with one statement. */
function isLook(text: string): boolean {
  return /\bwakes, c\.wake, c\.version\s+from json/.test(text);
}
