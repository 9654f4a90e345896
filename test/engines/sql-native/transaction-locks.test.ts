import type { Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/core/time/clock.ts';
import type { TransactionLock } from '../../../src/engines/sql/native/row-locks/transaction-lock.ts';
import type { Clock } from '../../../src/spi/clock.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { type MariadbServer, startMariadb } from '../../fixtures/sql/mariadb-server.ts';
import { type PostgresServer, startPostgres } from '../../fixtures/sql/postgres-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import { nativeBench } from './bench.ts';
import type { NativeEngine } from './native-engine.ts';

const PATIENCE_MS = 60_000;

interface Dialect {
  readonly engine: 'postgres' | 'mysql';
  readonly clients: readonly string[];
  readonly locks: Readonly<Record<string, (locks: NativeEngine, name: string) => TransactionLock>>;
  readonly ownId: string;
  readonly kill: (id: string) => string;
  readonly settings: string;
  readonly parameter: string;
  /** Who may not create tables. */
  readonly newUser: (name: string, password: string) => readonly string[];
  /** A schema, or a database. */
  readonly newSchema: (name: string) => readonly string[];
}

const rowLock = (locks: NativeEngine, name: string) => locks.rowLock(name);

const postgres: Dialect = {
  engine: 'postgres',
  clients: ['pg', 'postgres.js'],
  locks: {
    rowLock,
    'advisoryLock of a transaction': (locks, name) => locks.advisoryLock(name, { scope: 'transaction' }),
  },
  ownId: 'select pg_backend_pid()',
  kill: (id) => `select pg_terminate_backend(${id})`,
  settings: `select current_setting('lock_timeout'), current_setting('statement_timeout'), current_setting('transaction_isolation')`,
  parameter: '$1',
  newUser: (name, password) => [
    `create role "${name}" login password '${password}'`,
    'revoke create on schema public from public',
  ],
  newSchema: (name) => [`create schema "${name.replaceAll('"', '""')}"`],
};

const mysql: Dialect = {
  engine: 'mysql',
  clients: ['mysql2', 'mariadb'],
  locks: { rowLock },
  ownId: 'select connection_id()',
  kill: (id) => `kill ${id}`,
  // MariaDB says tx_isolation, MySQL transaction_isolation.
  settings: `show session variables where variable_name in ('innodb_lock_wait_timeout', 'tx_isolation', 'transaction_isolation')`,
  parameter: '?',
  newUser: (name, password) => [
    `create user '${name}'@'127.0.0.1' identified by '${password}'`,
    `grant select, insert, update, delete on holdfast.* to '${name}'@'127.0.0.1'`,
  ],
  newSchema: (name) => [`create database \`${name.replaceAll('`', '``')}\``],
};

interface Server {
  readonly url: string;
  urlFor(user: string, password: string): string;
  restart(): Promise<void>;
}

let tables = 0;

/** What locks do that live as long as a transaction. */
function transactionCases(dialect: Dialect, server: () => Server): void {
  const bench = nativeBench(dialect.engine);

  async function newTable(user: ReturnType<typeof bench.client>): Promise<string> {
    tables += 1;
    const table = `things_${tables}`;
    await user.client.query(`create table ${table} (n int)`, []);
    return table;
  }

  for (const client of dialect.clients) {
    for (const [title, lockOf] of Object.entries(dialect.locks)) {
      describe(`${title} over ${client}`, () => {
        test('what is written under it and the lock end together', async () => {
          const user = bench.client(server().url, client);
          const table = await newTable(user);
          const locks = bench.locks(user);
          const other = bench.open(server().url, client);
          const written = await lockOf(locks, 'together').run(async (hold) => {
            await hold.query(`insert into ${table} values (${dialect.parameter})`, [7]);
            expect((await hold.query(`select n from ${table}`)).rows).toEqual([[7]]);
            // No other client sees it, or can have the lock.
            expect((await user.client.query(`select n from ${table}`, [])).rows).toEqual([]);
            await expect(lockOf(other, 'together').run(() => 0, { timeoutMs: 2_000 })).rejects.toMatchObject({
              code: 'ACQUIRE_TIMEOUT',
            });
            await expect(lockOf(other, 'together').run(() => 0, { timeoutMs: 0 })).rejects.toMatchObject({
              code: 'ACQUIRE_TIMEOUT',
            });
            return hold.fence;
          });
          expect((await user.client.query(`select n from ${table}`, [])).rows).toEqual([[7]]);
          expect(await lockOf(other, 'together').run(({ fence }) => fence)).toBeGreaterThan(written);
        });

        test('an error undoes what was written, and is passed on', async () => {
          const user = bench.client(server().url, client);
          const table = await newTable(user);
          const locks = bench.locks(user);
          const error = new Error('mine');
          const failing = lockOf(locks, 'undone').run(async (hold) => {
            await hold.query(`insert into ${table} values (1)`);
            throw error;
          });
          await expect(failing).rejects.toBe(error);
          expect((await user.client.query(`select n from ${table}`, [])).rows).toEqual([]);
          await lockOf(locks, 'undone').run(() => undefined, { timeoutMs: PATIENCE_MS });
        });

        test('a call for the same lock inside of it is the same transaction', async () => {
          const user = bench.client(server().url, client);
          const table = await newTable(user);
          const locks = bench.locks(user);
          const lock = lockOf(locks, 'nested');
          await lock.run(async (outer) => {
            await outer.query(`insert into ${table} values (1)`);
            await lock.run(async (inner) => {
              expect(inner.fence).toBe(outer.fence);
              expect((await inner.query(`select n from ${table}`)).rows).toEqual([[1]]);
              await inner.query(`insert into ${table} values (2)`);
            });
            // Not committed by the end of the inner one.
            expect((await user.client.query(`select n from ${table}`, [])).rows).toEqual([]);
          });
          expect((await user.client.query(`select n from ${table} order by n`, [])).rows).toEqual([[1], [2]]);
        });

        test('a broken connection aborts `lost`, undoes, and the next waiter acquires', async () => {
          const user = bench.client(server().url, client);
          const table = await newTable(user);
          const locks = bench.locks(user);
          const other = bench.open(server().url, client);
          let next: Promise<bigint> | undefined;
          const broken = lockOf(locks, 'broken').run(async (hold) => {
            next = lockOf(other, 'broken').run(({ fence }) => fence, { timeoutMs: PATIENCE_MS });
            await hold.query(`insert into ${table} values (1)`);
            const id = String((await hold.query(dialect.ownId)).rows[0]?.[0]);
            await user.client.query(dialect.kill(id), []);
            await waitFor('it is lost', () => hold.lost.aborted);
            await expect(hold.query('select 1')).rejects.toMatchObject({ code: 'LEASE_LOST' });
            return hold.fence;
          });
          await expect(broken).rejects.toMatchObject({ code: 'LEASE_LOST', reason: 'session-ended' });
          expect(await next).toBeGreaterThan(0n);
          expect((await user.client.query(`select n from ${table}`, [])).rows).toEqual([]);
        });

        test('a holder whose process stood still for a lease knows at its first look at `lost`', async () => {
          let stalledMs = 0;
          const clock: Clock = { ...systemClock, now: () => systemClock.now() + stalledMs };
          const locks = bench.open(server().url, client, { clock });
          const stalled = lockOf(locks, 'stalled').run((hold) => {
            expect(hold.lost.aborted).toBe(false);
            stalledMs = 60_000;
            // In the same turn: no timer can have fired.
            expect(hold.lost.aborted).toBe(true);
            expect(hold.lost.reason).toMatchObject({ code: 'LEASE_LOST' });
          });
          await expect(stalled).rejects.toMatchObject({ code: 'LEASE_LOST', reason: 'expired' });
        });

        test(
          'waiters wait in the server, acquire one after the other, and can be aborted',
          async () => {
            const locks = bench.open(server().url, client, { waitSliceMs: 1_000 });
            const others = [1, 2, 3].map(() => bench.open(server().url, client, { waitSliceMs: 1_000 }));
            const order: bigint[] = [];
            const controller = new AbortController();
            const waiting: Promise<unknown>[] = [];
            let aborted: Promise<unknown> | undefined;
            await lockOf(locks, 'line').run(async ({ fence }) => {
              order.push(fence);
              for (const other of others) {
                waiting.push(
                  lockOf(other, 'line').run((hold) => void order.push(hold.fence), {
                    timeoutMs: PATIENCE_MS,
                  }),
                );
              }
              aborted = lockOf(bench.open(server().url, client), 'line').run(() => 0, {
                signal: controller.signal,
              });
              // Longer than a slice.
              await new Promise((resolve) => {
                setTimeout(resolve, 1_500);
              });
              controller.abort('enough');
              await expect(aborted).rejects.toBe('enough');
            });
            await Promise.all(waiting);
            expect(order).toHaveLength(4);
            expect(order.every((fence, at) => at === 0 || fence > order[at - 1]!)).toBe(true);
          },
          2 * PATIENCE_MS,
        );

        test('a pool without a free connection rejects in time, and gets back what comes too late', async () => {
          const user = bench.client(server().url, client, 1);
          const locks = bench.locks(user, { commandTimeoutMs: 300 });
          const taken = await user.client.openSession!();
          await expect(lockOf(locks, 'exhausted').run(() => 0)).rejects.toMatchObject({
            code: 'ENGINE',
            retryable: true,
            message: expect.stringContaining('free connection') as string,
          });
          // The database was never asked: an outage for the caller, and not contention.
          await expect(lockOf(locks, 'exhausted').run(() => 0, { timeoutMs: 50 })).rejects.toMatchObject({
            code: 'ENGINE',
            retryable: true,
          });
          await taken.end('reuse');
          expect((await user.client.query('select 1', [])).rows).toHaveLength(1);
          const patient = bench.locks(user);
          await lockOf(patient, 'exhausted').run(() => 0, { timeoutMs: PATIENCE_MS });
        });

        test('settings of the connection are as before, also for the statements under it', async () => {
          const user = bench.client(server().url, client, 1);
          const locks = bench.locks(user, { waitSliceMs: 1_000 });
          const other = bench.open(server().url, client);
          const before = (await user.client.query(dialect.settings, [])).rows;
          let waited: Promise<unknown> | undefined;
          await lockOf(other, 'settings').run(async () => {
            waited = lockOf(locks, 'settings').run(async (hold) => (await hold.query(dialect.settings)).rows);
            await new Promise((resolve) => {
              setTimeout(resolve, 300);
            });
          });
          // All but the isolation, which is ours.
          expect(((await waited) as string[][])[0]!.slice(0, -1)).toEqual(before[0]!.slice(0, -1));
          expect((await user.client.query(dialect.settings, [])).rows).toEqual(before);
        });

        test(
          'a restart of the server ends the hold',
          async () => {
            const locks = bench.open(server().url, client);
            const broken = lockOf(locks, 'restart').run(async (hold) => {
              await server().restart();
              await waitFor('it is lost', () => hold.lost.aborted);
            });
            await expect(broken).rejects.toMatchObject({ code: 'LEASE_LOST' });
            await waitFor('it can be had', () => lockOf(locks, 'restart').run(() => true));
          },
          2 * PATIENCE_MS,
        );
      });
    }

    test(
      `${client}: row locks of new names need one connection each, and no more`,
      async () => {
        const most = 3;
        const user = bench.client(server().url, client, most);
        const locks = bench.locks(user, { tablePrefix: `narrow_${client.replace(/\W/g, '')}_` });
        let within = 0;
        const names = Array.from({ length: most }, (_, at) => `new ${at}`);
        const all = names.map((name) =>
          locks.rowLock(name).run(
            async () => {
              within += 1;
              await waitFor('all are held at once', () => within === most, PATIENCE_MS / 2);
            },
            { timeoutMs: PATIENCE_MS / 3 },
          ),
        );
        await Promise.all(all);
        // The connections are the user's again.
        expect((await user.client.query('select 1', [])).rows).toHaveLength(1);
      },
      PATIENCE_MS,
    );

    test(
      `${client}: several who are the first to use a name come one after the other`,
      async () => {
        const engines = [1, 2, 3].map(() => bench.open(server().url, client));
        for (let round = 0; round < 10; round += 1) {
          const fences = await Promise.all(
            engines.map((locks) =>
              locks.rowLock(`first ${round}`).run(({ fence }) => fence, { timeoutMs: PATIENCE_MS / 2 }),
            ),
          );
          expect(new Set(fences).size).toBe(engines.length);
        }
      },
      PATIENCE_MS,
    );

    test(
      `${client}: a deadlock of two row locks fails one of them`,
      async () => {
        const one = bench.open(server().url, client, { waitSliceMs: 30_000 });
        const two = bench.open(server().url, client, { waitSliceMs: 30_000 });
        const user = bench.client(server().url, client);
        const table = await newTable(user);
        await user.client.query(`insert into ${table} values (1), (2)`, []);
        let ready = 0;
        const both = async (locks: NativeEngine, name: string, ids: readonly number[]) =>
          locks.rowLock(name).run(async (hold) => {
            for (const id of ids) {
              await hold.query(`update ${table} set n = n where n = ${id}`);
              ready += 1;
              await waitFor('both have the first', () => ready >= 2);
            }
          });
        const outcomes = await Promise.allSettled([both(one, 'left', [1, 2]), both(two, 'right', [2, 1])]);
        const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
        expect(failed).toHaveLength(1);
        expect(failed[0]!.reason).toMatchObject({ code: 'ENGINE', retryable: true });
      },
      PATIENCE_MS,
    );

    test(`${client}: identifiers may have anything in them`, async () => {
      const user = bench.client(server().url, client);
      const schema = `odd "schema\` ' ${client}`;
      for (const statement of dialect.newSchema(schema)) await user.client.query(statement, []);
      const locks = bench.locks(user, { schema, tablePrefix: `odd "prefix\` ' ` });
      const names = ['a', 'A', 'a ', 'ä', `'"\`;-- $1 ?`, '漢字 🔒', 'x'.repeat(500)];
      const fences = await Promise.all(names.map((name) => locks.rowLock(name).run(({ fence }) => fence)));
      expect(fences.every((fence) => fence > 0n)).toBe(true);
      // Each is a lock of its own.
      await locks.rowLock('a').run(() => locks.rowLock('A').run(() => locks.rowLock('a ').run(() => 0)));
    });

    test(`${client}: a role that may not create the table gets the statement for it`, async () => {
      const superuser = bench.client(server().url, client);
      const name = `poor_${client.replace(/\W/g, '')}`;
      for (const statement of dialect.newUser(name, 'word')) await superuser.client.query(statement, []);
      const poor = bench.client(server().urlFor(name, 'word'), client);
      const locks = bench.locks(poor, { tablePrefix: `${name}_` });
      await expect(locks.rowLock('a').run(() => 0)).rejects.toMatchObject({
        code: 'ENGINE',
        retryable: false,
        message: expect.stringContaining('create table if not exists') as string,
      });
      const careful = bench.locks(poor, { tablePrefix: `${name}_`, createTables: false });
      await expect(careful.rowLock('a').run(() => 0)).rejects.toThrow(/create table if not exists/);
      // No client has to know the password to understand.
      await expect(careful.rowLock('a').run(() => 0)).rejects.not.toThrow(/word/);
    });
  }
}

describeWith('postgres')('locks of transactions in PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server?.stop());
  transactionCases(postgres, () => server);

  const bench = nativeBench('postgres');

  test('a statement that failed cannot be committed away', async () => {
    const user = bench.client(server.url);
    await user.client.query('create table swallowed (n int)', []);
    const locks = bench.locks(user);
    const swallowed = locks.rowLock('swallowed').run(async (hold) => {
      await hold.query('insert into swallowed values (1)');
      await hold.query('selec 1').catch(() => undefined);
      return 'done';
    });
    await expect(swallowed).rejects.toMatchObject({ code: 'ENGINE' });
    expect((await user.client.query('select n from swallowed', [])).rows).toEqual([]);
  });

  test('the client of the user is handed over', async () => {
    const user = bench.client(server.url, 'postgres.js');
    await user.client.query('create table by_client (n int)', []);
    await bench
      .locks(user)
      .rowLock('client')
      .run(async (hold) => {
        const sql = hold.client as Sql;
        await sql`insert into by_client values (${42})`;
      });
    expect((await user.client.query('select n from by_client', [])).rows).toEqual([[42]]);
  });

  test('a query function has no connection to give', async () => {
    const user = bench.client(server.url);
    const onlyStatements = { ...user, client: { ...user.client, openSession: undefined } };
    const locks = bench.locks(onlyStatements);
    await expect(locks.rowLock('a').run(() => 0)).rejects.toThrow(/connection of its own/);
    await expect(locks.advisoryLock('a').acquire()).rejects.toThrow(/connection of its own/);
  });
});

describeWith('mariadb')('locks of transactions in MariaDB', () => {
  let server: MariadbServer;
  beforeAll(async () => {
    server = await startMariadb();
  }, 60_000);
  afterAll(() => server?.stop());
  transactionCases(mysql, () => server);
});
