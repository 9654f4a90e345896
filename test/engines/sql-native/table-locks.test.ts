import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { springLockKey } from '../../../src/engines/sql/native/table-locks/table-lock-statements.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { type MariadbServer, startMariadb } from '../../fixtures/sql/mariadb-server.ts';
import { type PostgresServer, startPostgres } from '../../fixtures/sql/postgres-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import { SqlError } from '../../../src/engines/sql/clients/errors/sql-error.ts';
import type { SqlClient, SqlResult, SqlValue } from '../../../src/engines/sql/sql-client.ts';
import { EARLIER_COPY_UNKNOWN } from '../../../src/kernels/requests/after-unanswered.ts';
import type { Sending } from '../../../src/spi/engine/documents.ts';
import type { Hold } from '../../../src/index.ts';
import { nativeBench } from './bench.ts';
import { springTables } from './spring-tables.ts';

test('keys are the UUIDs that Java makes of names', () => {
  expect(springLockKey('foo')).toBe('acbd18db-4cc2-385c-adef-654fccc4a4d8');
  expect(springLockKey('')).toBe('d41d8cd9-8f00-3204-a980-0998ecf8427e');
  expect(springLockKey('ACBD18DB-4CC2-385C-ADEF-654FCCC4A4D8')).toBe('acbd18db-4cc2-385c-adef-654fccc4a4d8');
});

/** Of both sides. Many cases share a processor, and a holder that is kept from it for two thirds of this has lost. */
const LEASE_MS = 4_000;

/** What Java does to its table, statement by statement, with times of its own clock. */
class JavaLike {
  readonly id = randomUUID();
  readonly #client: SqlClient;
  readonly #engine: 'postgres' | 'mysql';
  readonly #layout: 7 | 6;
  readonly #ttlMs: number;

  constructor(client: SqlClient, engine: 'postgres' | 'mysql', layout: 7 | 6, ttlMs: number) {
    this.#client = client;
    this.#engine = engine;
    this.#layout = layout;
    this.#ttlMs = ttlMs;
  }

  get #table(): string {
    return `V${this.#layout}_LOCK`;
  }

  async acquire(name: string): Promise<boolean> {
    const now = Date.now();
    const seven = this.#layout === 7;
    const key = springLockKey(name);
    const ended = seven ? at(now) : at(now - this.#ttlMs);
    const set = seven
      ? 'CLIENT_ID = ?, CREATED_DATE = ?, EXPIRED_AFTER = ?'
      : 'CLIENT_ID = ?, CREATED_DATE = ?';
    const times = seven ? [at(now), at(now + this.#ttlMs)] : [at(now)];
    const { changed } = await this.#run(
      `update ${this.#table} set ${set} where LOCK_KEY = ? and REGION = ? and (CLIENT_ID = ? or ${seven ? 'EXPIRED_AFTER' : 'CREATED_DATE'} < ?)`,
      [this.id, ...times, key, 'DEFAULT', this.id, ended],
    );
    if (changed > 0) return true;
    const columns = seven
      ? 'LOCK_KEY, REGION, CLIENT_ID, CREATED_DATE, EXPIRED_AFTER'
      : 'LOCK_KEY, REGION, CLIENT_ID, CREATED_DATE';
    const places = seven ? '?, ?, ?, ?, ?' : '?, ?, ?, ?';
    try {
      await this.#run(`insert into ${this.#table} (${columns}) values (${places})`, [
        key,
        'DEFAULT',
        this.id,
        ...times,
      ]);
      return true;
    } catch {
      // The key is there: another client has it.
      return false;
    }
  }

  async release(name: string): Promise<boolean> {
    const { changed } = await this.#run(
      `delete from ${this.#table} where LOCK_KEY = ? and REGION = ? and CLIENT_ID = ?`,
      [springLockKey(name), 'DEFAULT', this.id],
    );
    return changed > 0;
  }

  #run(text: string, values: readonly SqlValue[]) {
    let place = 0;
    const written = this.#engine === 'mysql' ? text : text.replaceAll('?', () => `$${(place += 1)}`);
    return this.#client.query(written, values);
  }
}

/** In UTC and without a zone, as Java writes it. */
function at(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').replace('Z', '');
}

/**
 * A client whose next acquisition stalls on its way, on a connection that seems to be lost, and arrives when the test lets it.
 * `meanwhile` happens before that connection is found to be lost.
 */
function stalling(client: SqlClient, meanwhile: () => Promise<unknown> = async () => undefined) {
  let stalled: (() => Promise<unknown>) | undefined;
  let wanted = true;
  let since = 0;
  const query: SqlClient['query'] = async (text, values, sending) => {
    if (!wanted || !CHANGES.test(text)) {
      const answer = await client.query(text, values, sending);
      since++;
      return answer;
    }
    wanted = false;
    stalled = () => client.query(text, values);
    sending?.leaves();
    await meanwhile();
    since = 0;
    throw lost();
  };
  return {
    client: { ...client, query, failure: (error: unknown) => client.failure(error) },
    arrive: () => stalled!(),
    /** How many statements were answered since it stalled. */
    answered: () => (wanted ? 0 : since),
  };
}

const CHANGES = /insert|update/i;
const lost = () => new SqlError('the connection was lost', 'unknown', undefined);

/** A client that asks `through` what to do instead of sending a statement. */
function instead(
  client: SqlClient,
  through: (text: string, send: () => Promise<SqlResult>, sending?: Sending) => Promise<SqlResult>,
): SqlClient {
  return {
    ...client,
    query: (text, values, sending) => through(text, () => client.query(text, values, sending), sending),
    failure: (error) => client.failure(error),
  };
}

/** Something that happens once, and those who wait for it. */
function event() {
  let happen: () => void = () => undefined;
  const happened = new Promise<void>((resolve) => (happen = resolve));
  return { happen, happened };
}

/** Most of the time they wait for leases: side by side, each with a lock of its own. */
function tableCases(engine: 'postgres' | 'mysql', clients: readonly string[], url: () => string): void {
  const bench = nativeBench(engine, afterAll);

  describe.each([7, 6] as const)('in layout %d', { concurrent: true }, (layout) => {
    const options = { layout, prefix: `V${layout}_`, renewalLeaseMs: LEASE_MS } as const;

    test.each(clients)(
      '%s and Java keep each other out',
      async (name) => {
        const user = bench.client(url(), name);
        const locks = bench.locks(user);
        const java = new JavaLike(user.client, engine, layout, LEASE_MS);
        const lock = locks.tableLock(`both ${name}`, options);
        const hold = await lock.acquire();
        expect(await java.acquire(`both ${name}`)).toBe(false);
        // Renewed over more than two of its leases.
        await new Promise((resolve) => {
          setTimeout(resolve, 2.2 * LEASE_MS);
        });
        // Together, because the client that reads a failure has to know which of the two it was.
        const taken = await java.acquire(`both ${name}`);
        expect({ taken, lost: hold.lost.aborted, reason: hold.lost.reason as unknown }).toEqual({
          taken: false,
          lost: false,
          reason: undefined,
        });
        await hold.release();
        expect(await java.acquire(`both ${name}`)).toBe(true);
        expect(await lock.tryAcquire()).toBeNull();
        expect((await lock.holder())?.owner).toBe(java.id);
        const waiting = lock.acquire({ timeoutMs: 30_000 });
        await java.release(`both ${name}`);
        const next = await waiting;
        expect(next.fence).toBeGreaterThan(hold.fence);
        expect(await java.release(`both ${name}`)).toBe(false);
        await next.release();
      },
      60_000,
    );

    test('what Java has forgotten is taken over, two seconds late', async () => {
      const user = bench.client(url());
      const locks = bench.locks(user);
      const java = new JavaLike(user.client, engine, layout, LEASE_MS);
      // Before Java's own clock is read: the lease counts from there, however long the statements take.
      const since = performance.now();
      expect(await java.acquire('forgotten')).toBe(true);
      const hold = await locks.tableLock('forgotten', options).acquire({ timeoutMs: 30_000 });
      expect(performance.now() - since).toBeGreaterThan(LEASE_MS + 1_500);
      expect(await java.acquire('forgotten')).toBe(false);
      await hold.release();
    }, 60_000);

    test('Java takes over what Holdfast has forgotten, and hold.lost fires', async () => {
      const user = bench.client(url());
      const locks = bench.locks(user);
      const java = new JavaLike(user.client, engine, layout, LEASE_MS);
      const hold = await locks.tableLock('ended', options).acquire({ leaseMs: 500 });
      await waitFor('Java has it', () => java.acquire('ended'), 30_000);
      expect(hold.lost.aborted).toBe(true);
      await expect(hold.release()).rejects.toMatchObject({ code: 'LEASE_LOST' });
      expect(await java.release('ended')).toBe(true);
    }, 60_000);
  });

  test('an acquisition that arrives after its caller has gone does nothing (soundness 3)', async () => {
    const user = bench.client(url());
    const { client, arrive } = stalling(user.client);
    const lock = bench.locks({ ...user, client }, { lateAfterMs: 300 }).tableLock('late');
    const hold = await lock.acquire();
    await hold.release();
    await new Promise((resolve) => {
      setTimeout(resolve, 400);
    });
    await arrive();
    expect(await lock.isLocked()).toBe(false);
  });

  test('one that arrives just after it was withdrawn is taken back when no other can come', async () => {
    const user = bench.client(url());
    const { client, arrive } = stalling(user.client);
    const lock = bench.locks({ ...user, client }, { lateAfterMs: 4_000 }).tableLock('overtaken', {
      renewalLeaseMs: 600_000,
    });
    const hold = await lock.acquire();
    await hold.release();
    await arrive();
    expect(await lock.isLocked()).toBe(true);
    // Long before its lease ends.
    await waitFor('it is free', async () => !(await lock.isLocked()), 30_000);
  }, 60_000);

  test('one that arrives after its owner was refused, granted and has left is released as well', async () => {
    const user = bench.client(url());
    const rival = bench.locks(user).tableLock('refused meanwhile');
    let first: Hold | undefined;
    const { client, arrive, answered } = stalling(user.client, async () => (first = await rival.acquire()));
    const lock = bench.locks({ ...user, client }, { lateAfterMs: 8_000 }).tableLock('refused meanwhile', {
      renewalLeaseMs: 600_000,
    });
    const waiting = lock.acquire();
    await waitFor('it was refused again, and this is certain', () => answered() > 6, 30_000);
    await first!.release();
    await (await waiting).release();
    await arrive();
    expect(await lock.isLocked()).toBe(true);
    // Long before its lease ends.
    await waitFor('it is free', async () => !(await lock.isLocked()), 30_000);
  }, 60_000);

  test('nothing is sent for an owner that left while the time of the database was asked for', async () => {
    const user = bench.client(url());
    const [asked, told, left] = [event(), event(), event()];
    const changes: string[] = [];
    const client = instead(user.client, async (text, send) => {
      if (CHANGES.test(text)) changes.push(text);
      if (text.startsWith('delete')) return send().finally(left.happen);
      if (/lock_key/i.test(text)) return send();
      asked.happen();
      await told.happened;
      return send();
    });
    const locks = bench.locks({ ...user, client });
    const lock = locks.tableLock('left early');
    const leaving = new AbortController();
    const acquiring = lock.acquire({ signal: leaving.signal });
    await asked.happened;
    leaving.abort(new Error('leaves'));
    await expect(acquiring).rejects.toThrow('leaves');
    await left.happened;
    told.happen();
    // Waits for the attempt as well.
    await locks.close();
    expect(changes).toEqual([]);
    expect(await bench.locks(user).tableLock('left early').isLocked()).toBe(false);
  }, 60_000);

  test('one that is answered before the release that it overtook is taken back', async () => {
    const user = bench.client(url());
    const [sent, acquired, deleted, read] = [event(), event(), event(), event()];
    const client = instead(user.client, async (text, send) => {
      if (text.startsWith('delete')) {
        const answer = await send();
        deleted.happen();
        await read.happened;
        return answer;
      }
      if (!CHANGES.test(text)) return send();
      sent.happen();
      await deleted.happened;
      return send().finally(acquired.happen);
    });
    const options = { renewalLeaseMs: 600_000 };
    const lock = bench.locks({ ...user, client }, { lateAfterMs: 4_000 }).tableLock('crossed', options);
    const leaving = new AbortController();
    const acquiring = lock.acquire({ signal: leaving.signal });
    await sent.happened;
    leaving.abort(new Error('leaves'));
    await expect(acquiring).rejects.toThrow('leaves');
    await acquired.happened;
    const other = bench.locks(user).tableLock('crossed', options);
    expect(await other.isLocked()).toBe(true);
    read.happen();
    // Long before its lease ends.
    await waitFor('it is free', async () => !(await other.isLocked()), 30_000);
  }, 60_000);

  test('an acquisition of which a copy is out is not said to have come to nothing', async () => {
    const user = bench.client(url());
    let changes = 0;
    const second = (meanwhile: () => Promise<SqlResult>) =>
      instead(user.client, async (text, send, sending) => {
        if (!CHANGES.test(text)) return send();
        changes += 1;
        if (changes > 1) return meanwhile();
        sending?.leaves();
        throw lost();
      });
    const attempt = (meanwhile: () => Promise<SqlResult>) => {
      changes = 0;
      const client = second(meanwhile);
      // Long enough for the time of the database, which is asked for first.
      const locks = bench.locks({ ...user, client }, { commandTimeoutMs: 3_000 });
      return locks.tableLock('one copy is out').tryAcquire();
    };
    // The pool has no connection for the second copy.
    const pending = new Promise<SqlResult>(() => undefined);
    const silent: unknown = await attempt(() => pending).catch((error: unknown) => error);
    expect(silent).toMatchObject({ code: 'ENGINE', retryable: true });
    expect(String(silent)).not.toContain('Nothing was sent');
    const refused = await attempt(() =>
      Promise.reject(new SqlError('permission denied', 'final', '42501')),
    ).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'ENGINE', retryable: false });
    expect(String(refused)).toContain(EARLIER_COPY_UNKNOWN);
  }, 60_000);

  test.each(clients)(
    '%s: a pool without a free connection rejects in time, and closing does not wait for one',
    async (name) => {
      const user = bench.client(url(), name, 1);
      const locks = bench.locks(user, { commandTimeoutMs: 1_000, lateAfterMs: 2_000 });
      const lock = locks.tableLock(`exhausted ${name}`);
      // The first connection may take longer on a busy machine than a command of this engine object.
      const hold = await waitFor('the lock is held', () => lock.acquire(), 20_000);
      const taken = await user.client.openSession!();
      const other = locks.tableLock(`wanted ${name}`);
      await expect(other.tryAcquire()).rejects.toMatchObject({ code: 'ENGINE', retryable: true });
      await expect(other.acquire({ timeoutMs: 50 })).rejects.toMatchObject({
        code: 'ENGINE',
        retryable: true,
      });
      await expect(other.isLocked()).rejects.toMatchObject({ code: 'ENGINE', retryable: true });
      await locks.close();
      expect(hold.lost.aborted).toBe(true);
      await taken.end('reuse');
      const later = bench.open(url(), name).tableLock(`wanted ${name}`);
      await waitFor('nothing is left of what was wanted', async () => !(await later.isLocked()), 20_000);
    },
    60_000,
  );

  test('regions and tables are distinct', async () => {
    const locks = bench.open(url());
    const holds = [
      await locks.tableLock('same').acquire(),
      await locks.tableLock('same', { region: `odd 'region" ` }).acquire({ timeoutMs: 5_000 }),
      await locks.tableLock('same', { prefix: 'V7_' }).acquire({ timeoutMs: 5_000 }),
    ];
    expect(await locks.tableLock('same').tryAcquire()).toBeNull();
    await Promise.all(holds.map((hold) => hold.release()));
  });

  test('a missing table is named in the error', async () => {
    const locks = bench.open(url());
    await expect(locks.tableLock('a', { prefix: 'NO_' }).acquire()).rejects.toThrow(/NO_LOCK|no_lock/);
  });

  test('bad options are refused', () => {
    const locks = bench.open(url());
    expect(() => locks.tableLock('a', { layout: 5 as 6 })).toThrow(TypeError);
    expect(() => locks.tableLock('a', { region: 'x'.repeat(101) })).toThrow(TypeError);
    expect(() => locks.tableLock('a', { regoin: 'x' } as object)).toThrow(TypeError);
    expect(() => locks.tableLock('')).toThrow(RangeError);
  });
}

describeWith('postgres')("Spring's table in PostgreSQL", { concurrent: true }, () => {
  let server: PostgresServer;
  const bench = nativeBench('postgres');
  beforeAll(async () => {
    // Far from here: times in the table are in UTC whatever the zone of a session is.
    server = await startPostgres({ settings: { timezone: 'America/New_York' } });
    await springTables('postgres', { client: bench.client(server.url).client, end: async () => undefined });
  }, 60_000);
  afterAll(() => server?.stop());
  tableCases('postgres', ['pg', 'postgres.js'], () => server.url);
});

describeWith('mariadb')("Spring's table in MariaDB", { concurrent: true }, () => {
  let server: MariadbServer;
  const bench = nativeBench('mysql');
  beforeAll(async () => {
    server = await startMariadb({ settings: { 'default-time-zone': '-05:00' } });
    await springTables('mysql', { client: bench.client(server.url).client, end: async () => undefined });
  }, 60_000);
  afterAll(() => server?.stop());
  tableCases('mysql', ['mysql2', 'mariadb'], () => server.url);
});
