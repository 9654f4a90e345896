import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startPgbouncer } from '../../fixtures/sql/pgbouncer.ts';
import { type PostgresServer, startPostgres } from '../../fixtures/sql/postgres-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import { nativeBench } from './bench.ts';

// Each starts a pooler, and two of them a second server.
vi.setConfig({ testTimeout: 40_000 });

/** Long enough for a busy server to answer once: a wait without an answer is an outage. */
const GIVES_UP_MS = 1_000;

const bench = nativeBench('postgres');

describeWith('postgres', 'pgbouncer')('behind PgBouncer', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server?.stop());

  describe.each(['pg', 'postgres.js'])('over %s', (client) => {
    // A single connection in the server would hide it from the client that only asks twice.
    test.each([1, 20])(
      'a lock of a session is refused in transaction mode, of %d connections',
      async (poolSize) => {
        await using pooler = await startPgbouncer(server, { mode: 'transaction', poolSize });
        const user = bench.client(pooler.url, client);
        const locks = bench.locks(user);
        const name = `refused ${client} ${poolSize}`;
        await expect(locks.advisoryLock(name).acquire()).rejects.toMatchObject({
          code: 'ENGINE',
          retryable: false,
          message: expect.stringContaining('PgBouncer') as string,
        });
        // It was not even tried: nothing has stayed behind in the server.
        const direct = bench.open(server.url, client);
        expect(await direct.advisoryLock(name).isLocked()).toBe(false);
      },
    );

    test('it is not refused in session mode', async () => {
      await using pooler = await startPgbouncer(server, { mode: 'session' });
      const locks = bench.open(pooler.url, client);
      const direct = bench.open(server.url, client);
      const name = `allowed ${client}`;
      const hold = await locks.advisoryLock(name).acquire();
      expect(await direct.advisoryLock(name).tryAcquire()).toBeNull();
      await hold.release();
      await (await direct.advisoryLock(name).acquire()).release();
    });

    test('locks of a transaction go through any of them', async () => {
      await using pooler = await startPgbouncer(server, { mode: 'transaction' });
      const user = bench.client(pooler.url, client);
      const locks = bench.locks(user, { waitSliceMs: 1_000 });
      const direct = bench.open(server.url, client);
      const name = `transaction ${client}`;
      for (const lock of [locks.rowLock(name), locks.advisoryLock(name, { scope: 'transaction' })]) {
        await lock.run(async (hold) => {
          expect((await hold.query('select 1')).rows).toEqual([[1]]);
          const other =
            lock.kind === 'rowLock'
              ? direct.rowLock(name)
              : direct.advisoryLock(name, { scope: 'transaction' });
          await expect(other.run(() => 0, { timeoutMs: GIVES_UP_MS })).rejects.toMatchObject({
            code: 'ACQUIRE_TIMEOUT',
          });
        });
        await lock.run(() => undefined);
      }
    });
  });

  // postgres.js has to be told so by its option: what it has prepared it waits for without end.
  test('statements go on without being prepared where they cannot be', async () => {
    await using pooler = await startPgbouncer(server, { mode: 'transaction', poolSize: 3 });
    const user = bench.client(pooler.url, 'pg');
    const texts = ['select $1::int + 1', 'select $1::int + 2', 'select $1::int + 3'];
    const sums = await Promise.all(
      Array.from({ length: 60 }, async (_, at) => {
        const { rows } = await user.client.query(texts[at % 3]!, [at]);
        return Number(rows[0]?.[0]) - at;
      }),
    );
    expect(sums).toEqual(Array.from({ length: 60 }, (_, at) => (at % 3) + 1));
  });
});

describeWith('postgres')('a standby', () => {
  test('refuses locks that its primary would not know of', async () => {
    await using server = await startPostgres();
    const before = bench.client(server.url);
    await bench
      .locks(before)
      .rowLock('there')
      .run(() => undefined);
    await server.kill();
    writeFileSync(join(server.dir, 'data', 'standby.signal'), '');
    await server.restart();
    const locks = bench.open(server.url);
    const standby = {
      code: 'ENGINE',
      retryable: true,
      message: expect.stringContaining('standby') as string,
    };
    await expect(locks.advisoryLock('a').acquire()).rejects.toMatchObject(standby);
    await expect(locks.advisoryLock('a', { scope: 'transaction' }).run(() => 0)).rejects.toMatchObject(
      standby,
    );
    // Whether the primary comes back or this server becomes one: the next attempt may find it.
    await expect(locks.rowLock('there').run(() => 0)).rejects.toMatchObject({
      code: 'ENGINE',
      retryable: true,
    });
    await expect(locks.tableLock('a').acquire()).rejects.toMatchObject({ code: 'ENGINE', retryable: false });
    await locks.close();
  }, 60_000);
});
