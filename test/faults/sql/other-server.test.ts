import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SqlSession } from '../../../src/engines/sql/sql-client.ts';
import { UncaughtErrors } from '../../fixtures/uncaught-errors.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { startMariadb } from '../../fixtures/sql/mariadb-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import { nativeBench } from '../../engines/sql-native/bench.ts';
import { MuteProxy } from './mute-proxy.ts';

const DEADLINE_MS = 60_000;
const OWN_ID = 'select connection_id()';

type MariadbServer = Awaited<ReturnType<typeof startMariadb>>;

async function idOf(session: SqlSession): Promise<number> {
  return Number((await session.query(OWN_ID, [])).rows[0]![0]);
}

/**
 * An address that leads to another server by now, where each number of a connection is that of a stranger: what is ended
 * "in the server" must be ours.
 */
describeWith('mariadb')('an address that leads to another server by now', () => {
  let first: MariadbServer;
  let second: MariadbServer;
  const bench = nativeBench('mysql');

  beforeAll(async () => {
    [first, second] = await Promise.all([startMariadb(), startMariadb()]);
  }, DEADLINE_MS);
  afterAll(async () => {
    await Promise.all([first?.stop(), second?.stop()]);
  });

  /** Whether the server runs a statement of this connection. */
  async function runsOn(server: MariadbServer, id: number): Promise<boolean> {
    const { client } = bench.client(server.url, 'mysql2', 1);
    const text = "select id from information_schema.processlist where id = ? and command <> 'Sleep'";
    return (await client.query(text, [id])).rows.length > 0;
  }

  /** A connection of a stranger on the second server, with this number. */
  async function strangerWith(id: number): Promise<SqlSession> {
    const { client } = bench.client(second.url, 'mysql2', 1);
    for (;;) {
      const stranger = await client.openSession!();
      const found = await idOf(stranger);
      if (found === id) return stranger;
      expect(found, `the second server is at ${found}, beyond ${id}`).toBeLessThan(id);
      await stranger.end('discard');
    }
  }

  /** Connections of the first server, until it has given out numbers that the second has not. */
  async function getAhead(): Promise<void> {
    const pools = [first, second].map(({ url }) => bench.client(url, 'mysql2', 1).client);
    const ids = await Promise.all(
      pools.map(async ({ openSession: session }) => {
        const one = await session!();
        const id = await idOf(one);
        await one.end('discard');
        return id;
      }),
    );
    for (let behind = ids[1]! - ids[0]! + 20; behind > 0; behind--) {
      const one = await pools[0]!.openSession!();
      await one.query('select 1', []);
      await one.end('discard');
    }
  }

  // Over mariadb the second server also has fewer numbers: a refused `kill` of the driver's own ends the process.
  test.each([
    ['mysql2', 'a stranger has the number'],
    ['mariadb', 'a stranger has the number'],
    ['mariadb', 'no connection has the number'],
  ] as const)(
    'is not told to end the connection of a statement that is given up over %s, where %s',
    async (name, numbers) => {
      using errors = new UncaughtErrors();
      await getAhead();
      using proxy = await MuteProxy.start(first.port);
      const { client } = bench.client(first.urlFor(first.user, first.password, proxy.port), name, 1);
      const session = await client.openSession!();
      const id = await idOf(session);
      const stranger = numbers === 'no connection has the number' ? undefined : await strangerWith(id);
      const failing = session.query('select sleep(20)', []).catch((error: unknown) => error);
      await waitFor('it runs in the server', () => runsOn(first, id));
      const before = proxy.accepted;
      proxy.leadTo(second.port);
      await session.end('discard');
      await failing;
      await waitFor('the second server was asked', () => proxy.accepted > before, 20_000);
      // The only connection of the pool of mariadb is lent again when the question is over; that of mysql2 was opened only for it.
      if (name === 'mysql2') await waitFor('the question is over', () => proxy.alive === 0, 20_000);
      expect((await client.query('select 1', [])).rows).toHaveLength(1);
      expect(await errors.soFar()).toEqual([]);
      if (stranger === undefined) return;
      expect((await stranger.query('select 1', [])).rows).toHaveLength(1);
      await stranger.end('reuse');
    },
    DEADLINE_MS,
  );

  test.each(['namedLock', 'rowLock'] as const)(
    'is not told to end the connection of a waiter for a %s that gives up',
    async (kind) => {
      await getAhead();
      using proxy = await MuteProxy.start(first.port);
      const holder = bench.open(first.url, 'mysql2');
      const user = bench.client(first.urlFor(first.user, first.password, proxy.port), 'mysql2', 2);
      const waiter = bench.locks(user);
      const leaving = new AbortController();
      const waitsInServer = `select id from information_schema.processlist where id <> connection_id() and command in ('Query', 'Execute') and time_ms > 200 and (state like '%lock%' or info like '%for update%')`;
      const watcher = bench.client(first.url, 'mysql2', 1).client;
      await holder[kind]('a').run(async () => {
        const waiting = waiter[kind]('a')
          .run(() => undefined, { signal: leaving.signal })
          .catch((error: unknown) => error);
        const found = await waitFor('it waits', async () => (await watcher.query(waitsInServer, [])).rows[0]);
        const stranger = await strangerWith(Number(found[0]));
        proxy.leadTo(second.port);
        const before = proxy.accepted;
        leaving.abort(new Error('gone'));
        expect(String(await waiting)).toMatch(/gone/);
        // By a connection of the pool, which goes back there, and by one for nothing but that.
        const isAsked = (): boolean => proxy.accepted === before + 2 && proxy.alive === 2;
        await waitFor('the second server was asked', isAsked);
        expect((await stranger.query('select 1', [])).rows.length).toBe(1);
        await stranger.end('reuse');
      });
    },
    DEADLINE_MS,
  );
});
