import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Lock } from '../../../src/index.ts';
import { advisoryKey } from '../../../src/engines/sql/native/connection-locks/advisory-key.ts';
import { lockName } from '../../../src/engines/sql/native/connection-locks/named-lock-kind.ts';
import { startTcpProxy } from '../../fixtures/network/tcp-proxy.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { type MariadbServer, startMariadb } from '../../fixtures/sql/mariadb-server.ts';
import { type PostgresServer, startPostgres } from '../../fixtures/sql/postgres-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import type { SqlClient, SqlSession } from '../../../src/engines/sql/sql-client.ts';
import { nativeBench } from './bench.ts';
import type { NativeEngine } from './native-engine.ts';

const PATIENCE_MS = 60_000;

interface Dialect {
  readonly engine: 'postgres' | 'mysql';
  readonly clients: readonly string[];
  readonly lock: (locks: NativeEngine, name: string) => Lock;
  /** Who holds something, as the server knows them. */
  readonly holders: (name: string) => string;
  readonly kill: (id: string) => string;
  /** How many wait for a lock in the server. */
  readonly waiting: string;
  /** What a connection must have as before when it goes back. */
  readonly settings: string;
}

const postgres: Dialect = {
  engine: 'postgres',
  clients: ['pg', 'postgres.js'],
  lock: (locks, name) => locks.advisoryLock(name),
  holders: (name) =>
    `select pid from pg_locks where locktype = 'advisory' and granted and ((classid::bigint << 32) | objid::bigint) = ${advisoryKey(name)}`,
  kill: (id) => `select pg_terminate_backend(${id})`,
  waiting: `select count(*) from pg_locks where locktype = 'advisory' and not granted`,
  settings: `select current_setting('lock_timeout'), current_setting('statement_timeout'), current_setting('tcp_keepalives_idle'), current_setting('tcp_keepalives_interval'), current_setting('tcp_keepalives_count')`,
};

const mysql: Dialect = {
  engine: 'mysql',
  clients: ['mysql2', 'mariadb'],
  lock: (locks, name) => locks.namedLock(name),
  holders: (name) => `select is_used_lock('${lockName(name)}')`,
  kill: (id) => `kill ${id}`,
  waiting: `select count(*) from information_schema.processlist where state = 'User lock'`,
  settings: 'select @@session.wait_timeout, @@session.innodb_lock_wait_timeout',
};

interface Server {
  readonly url: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  urlFor(user: string, password: string, port?: number): string;
  freeze(): Promise<void>;
  resume(): void;
  kill(): Promise<void>;
  restart(): Promise<void>;
}

/** Makes the statements that end a connection of the server wait until they may go on. */
function holdBack(client: SqlClient, goOn: Promise<void>): void {
  const queryOf = (of: SqlClient | SqlSession): SqlSession['query'] => {
    const query = of.query.bind(of);
    return async (text, values) => {
      if (/^kill |pg_terminate_backend/.test(text)) await goOn;
      return query(text, values);
    };
  };
  const lend = client.openSession!.bind(client);
  const openSession = async (): Promise<SqlSession> => {
    const session = await lend();
    return Object.assign(session, { query: queryOf(session) });
  };
  Object.assign(client, { query: queryOf(client), openSession });
}

/** What locks do that live as long as a connection. */
function connectionCases(dialect: Dialect, server: () => Server): void {
  const bench = nativeBench(dialect.engine);
  const { lock: lockOf } = dialect;

  describe.each(dialect.clients)('over %s', (client) => {
    const one = async (user: ReturnType<typeof bench.client>, text: string) =>
      String((await user.client.query(text, [])).rows[0]?.[0]);

    test('a broken connection aborts `lost` at once, and the next waiter acquires', async () => {
      const user = bench.client(server().url, client);
      const locks = bench.locks(user);
      const hold = await lockOf(locks, 'broken').acquire();
      const next = lockOf(locks, 'broken').acquire({ timeoutMs: PATIENCE_MS });
      await user.client.query(dialect.kill(await one(user, dialect.holders('broken'))), []);
      await waitFor('it is lost', () => hold.lost.aborted);
      expect(hold.lost.reason).toMatchObject({ code: 'LEASE_LOST', reason: 'session-ended' });
      expect(() => hold.throwIfLost()).toThrow('was lost');
      const after = await next;
      expect(after.fence).toBeGreaterThan(hold.fence);
      await after.release();
      await expect(hold.release()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    });

    test('a silent connection is not trusted for longer than its lease', async () => {
      await using proxy = await startTcpProxy(server());
      const user = bench.client(server().urlFor(server().user, server().password, proxy.port), client);
      const locks = bench.locks(user, { renewalLeaseMs: 1_000 });
      const hold = await lockOf(locks, 'silent').acquire();
      proxy.blackHole();
      await waitFor('it is lost', () => hold.lost.aborted);
      expect(hold.lost.reason).toMatchObject({ reason: 'expired' });
      proxy.reset();
      await proxy.heal();
      // The connection has ended, and the server has noticed.
      const direct = bench.open(server().url, client);
      await (await lockOf(direct, 'silent').acquire({ timeoutMs: PATIENCE_MS })).release();
    });

    test('a waiter that gives up leaves no ticket in the line of the server', async () => {
      const user = bench.client(server().url, client);
      const holder = bench.open(server().url, client);
      const hold = await lockOf(holder, 'given up').acquire();
      // A slice that would outlast the test.
      const locks = bench.locks(user, { waitSliceMs: 600_000 });
      const controller = new AbortController();
      const aborted = lockOf(locks, 'given up').acquire({ signal: controller.signal });
      await waitFor('it waits in the server', async () => (await one(user, dialect.waiting)) === '1');
      controller.abort('enough');
      await expect(aborted).rejects.toBe('enough');
      await waitFor('no client waits in the server', async () => (await one(user, dialect.waiting)) === '0');
      expect(await lockOf(locks, 'given up').tryAcquire({ timeoutMs: 2_000 })).toBeNull();
      await waitFor('again no client waits', async () => (await one(user, dialect.waiting)) === '0');
      await hold.release();
      await (await lockOf(locks, 'given up').acquire({ timeoutMs: PATIENCE_MS })).release();
    });

    // A release of the holder would pass the lock on to the connection that is about to be closed.
    test('a waiter that gave up counts as one until the server has ended its connection', async () => {
      const user = bench.client(server().url, client);
      const hold = await lockOf(bench.open(server().url, client), 'leaving').acquire();
      const goOn = new AbortController();
      holdBack(
        user.client,
        once(goOn.signal, 'abort').then(() => undefined),
      );
      const locks = bench.locks(user, { waitSliceMs: 600_000 });
      const lock = lockOf(locks, 'leaving');
      const controller = new AbortController();
      const aborted = lock.acquire({ signal: controller.signal });
      await waitFor('it waits in the server', async () => (await one(user, dialect.waiting)) === '1');
      controller.abort('enough');
      await expect(aborted).rejects.toBe('enough');
      expect(await lock.waiters()).toBe(1);
      goOn.abort();
      await waitFor('it counts no longer', async () => (await lock.waiters()) === 0);
      expect(await one(user, dialect.waiting)).toBe('0');
      await hold.release();
    });

    test('a wait goes on over the slices', async () => {
      const locks = bench.open(server().url, client, { waitSliceMs: 1_000 });
      const other = bench.open(server().url, client);
      const hold = await lockOf(other, 'slices').acquire();
      const waiting = lockOf(locks, 'slices').acquire({ timeoutMs: PATIENCE_MS });
      await expect(lockOf(other, 'slices').tryAcquire({ timeoutMs: 2_500 })).resolves.toBeNull();
      await hold.release();
      const next = await waiting;
      expect(next.fence).toBeGreaterThan(hold.fence);
      await next.release();
    });

    test('connections go back as they came', async () => {
      const user = bench.client(server().url, client, 1);
      const before = (await user.client.query(dialect.settings, [])).rows;
      const locks = bench.locks(user);
      await (await lockOf(locks, 'settings').acquire()).release();
      expect((await user.client.query(dialect.settings, [])).rows).toEqual(before);
      const other = bench.open(server().url, client);
      const hold = await lockOf(other, 'settings').acquire();
      expect(await lockOf(locks, 'settings').tryAcquire()).toBeNull();
      expect((await user.client.query(dialect.settings, [])).rows).toEqual(before);
      const waiting = lockOf(locks, 'settings').acquire();
      const observer = bench.client(server().url, client);
      await waitFor('it waits in the server', async () => (await one(observer, dialect.waiting)) === '1');
      await hold.release();
      await (await waiting).release();
      expect((await user.client.query(dialect.settings, [])).rows).toEqual(before);
    });

    test('a pool of one connection waits for its own hold, and no longer than its limit', async () => {
      const user = bench.client(server().url, client, 1);
      const locks = bench.locks(user);
      const hold = await lockOf(locks, 'first').acquire();
      // No connection is no contention: no client holds the second one.
      await expect(lockOf(locks, 'second').tryAcquire({ timeoutMs: 300 })).rejects.toMatchObject({
        code: 'ENGINE',
        retryable: true,
      });
      await hold.release();
      await (await lockOf(locks, 'second').acquire({ timeoutMs: PATIENCE_MS })).release();
    });

    test('a pool without a free connection rejects in time, and gets back what comes too late', async () => {
      const user = bench.client(server().url, client, 1);
      const locks = bench.locks(user, { commandTimeoutMs: 300 });
      const taken = await user.client.openSession!();
      const outage = { code: 'ENGINE', retryable: true, message: expect.stringContaining('free connection') };
      await expect(lockOf(locks, 'exhausted').tryAcquire()).rejects.toMatchObject(outage);
      await expect(lockOf(locks, 'exhausted').acquire()).rejects.toMatchObject(outage);
      await expect(lockOf(locks, 'exhausted').tryAcquire({ timeoutMs: 50 })).rejects.toMatchObject({
        code: 'ENGINE',
        retryable: true,
      });
      await expect(lockOf(locks, 'exhausted').isLocked()).rejects.toMatchObject({
        code: 'ENGINE',
        retryable: true,
      });
      await taken.end('reuse');
      // The waiters that left stand before this one in the line of the pool: each connection that they get goes back.
      expect((await user.client.query('select 1', [])).rows).toHaveLength(1);
      const patient = bench.locks(user);
      await (await lockOf(patient, 'exhausted').acquire({ timeoutMs: PATIENCE_MS })).release();
    });

    test('a single attempt on a server that does not answer rejects in time', async () => {
      await using proxy = await startTcpProxy(server());
      const user = bench.client(server().urlFor(server().user, server().password, proxy.port), client);
      const locks = bench.locks(user, { commandTimeoutMs: 1_000 });
      await (await lockOf(locks, 'unanswered').acquire()).release();
      proxy.blackHole();
      await expect(lockOf(locks, 'unanswered').tryAcquire()).rejects.toMatchObject({
        code: 'ENGINE',
        retryable: true,
      });
      proxy.reset();
      await proxy.heal();
      await waitFor('it can be had again', async () => {
        const hold = await lockOf(locks, 'unanswered').acquire({ timeoutMs: PATIENCE_MS });
        await hold.release();
        return true;
      });
    });

    test('names are distinct, whatever is in them', async () => {
      const locks = bench.open(server().url, client);
      const names = ['a', 'A', 'ä', 'a ', `'"\`;--`, '漢字 🔒', 'x'.repeat(500), `${'x'.repeat(499)}y`];
      const holds = await Promise.all(names.map((name) => lockOf(locks, name).acquire()));
      const other = bench.open(server().url, client);
      for (const name of names) expect(await lockOf(other, name).tryAcquire()).toBeNull();
      await Promise.all(holds.map((hold) => hold.release()));
    });
  });

  test.each(dialect.clients)(
    '%s: a restart of the server loses what is held, and no more',
    async (client) => {
      const locks = bench.open(server().url, client);
      const other = bench.open(server().url, client);
      const hold = await lockOf(locks, 'restart').acquire();
      const waiting = lockOf(other, 'restart').acquire();
      const failed = waiting.catch((error: unknown) => error);
      await waitFor('it waits', async () => (await lockOf(other, 'restart').waiters()) === 1);
      await server().restart();
      await waitFor('it is lost', () => hold.lost.aborted);
      expect(await failed).toMatchObject({ code: 'ENGINE', retryable: true });
      const next = await waitFor('it can be had', () => lockOf(other, 'restart').acquire());
      expect(next.fence).toBeGreaterThan(hold.fence);
      await next.release();
    },
    120_000,
  );

  test('a frozen server is not believed in, and goes on where it stopped', async () => {
    const locks = bench.open(server().url, undefined, { renewalLeaseMs: 1_000 });
    const hold = await lockOf(locks, 'frozen').acquire();
    await server().freeze();
    await waitFor('it is lost', () => hold.lost.aborted);
    server().resume();
    const next = await lockOf(locks, 'frozen').acquire({ timeoutMs: PATIENCE_MS });
    expect(next.fence).toBeGreaterThan(hold.fence);
    await next.release();
  }, 120_000);
}

describeWith('postgres')('advisory locks', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server?.stop());
  connectionCases(postgres, () => server);
});

describeWith('mariadb')('named locks', () => {
  let server: MariadbServer;
  beforeAll(async () => {
    server = await startMariadb();
  }, 60_000);
  afterAll(() => server?.stop());
  connectionCases(mysql, () => server);

  const bench = nativeBench('mysql');
  test.each(['namedLock', 'rowLock'] as const)(
    'a %s does not look through all connections of the server each time',
    async (kind) => {
      const user = bench.client(server.url, 'mysql2', 1);
      let looks = 0;
      const openSession = async (): Promise<SqlSession> => {
        const lent = await user.client.openSession!();
        const query: SqlSession['query'] = (text, values) => {
          if (text.includes('processlist')) looks += 1;
          return lent.query(text, values);
        };
        return { ...lent, query, onBroken: (told) => lent.onBroken(told), end: (how) => lent.end(how) };
      };
      const { client } = user;
      const locks = bench.locks({
        ...user,
        client: {
          ...client,
          openSession,
          query: (...of) => client.query(...of),
          failure: (of) => client.failure(of),
        },
      });
      for (let times = 0; times < 5; times++) await locks[kind]('often').run(() => undefined);
      expect(looks).toBe(1);
    },
  );
});
