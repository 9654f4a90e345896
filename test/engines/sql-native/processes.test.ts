import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memory } from '../../../src/engines/memory/index.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { type MariadbServer, startMariadb } from '../../fixtures/sql/mariadb-server.ts';
import { type PostgresServer, startPostgres } from '../../fixtures/sql/postgres-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import { mysqlPools } from '../sql-clients/mysql-pools.ts';
import { postgresPools } from '../sql-clients/postgres-pools.ts';
import { openNative } from './native-engine.ts';
import { startNativeUser } from './native-program.ts';
import { springTables } from './spring-tables.ts';
import { type LockKind, underLock } from './under-lock.ts';

const LINES = 60;
const PATIENCE_MS = 60_000;
/** Of a case that waits for its turn first. */
const LONGEST_MS = 10 * PATIENCE_MS;
/** Longer than a busy machine keeps a process waiting: a holder that loses before it is stopped lets the next one in. */
const STOPPED_LEASE_MS = 3_000;

const ignored = async (): Promise<void> => undefined;

function outcomeOf(entering: Promise<unknown>): Promise<unknown> {
  return entering.then(
    () => 'in',
    (error: { readonly code?: unknown }) => error.code,
  );
}

interface Case {
  readonly client: string;
  readonly kind: LockKind;
}

/** Most of the time they wait, for a process to start or a lease to end; more of them at once would wait for the processor. */
const few = memory().semaphore('cases', { permits: 3 });

/** What processes do to each other, whichever lock it is. */
function processCases(engine: 'postgres' | 'mysql', url: () => string, cases: readonly Case[]): void {
  const pools = engine === 'postgres' ? postgresPools : mysqlPools;

  describe.each(cases)('$kind over $client', { concurrent: true }, ({ client, kind }) => {
    const plan = (name: string, more: object = {}) => ({
      engine,
      client,
      url: url(),
      kind,
      name: `${name} ${kind} ${client}`,
      renewalLeaseMs: 30_000,
      ...more,
    });

    const inTurn = (body: () => Promise<void>) => (): Promise<void> => few.run(body);

    test(
      'processes exclude each other, also when they are killed',
      inTurn(async () => {
        const dir = mkdtempSync(join(tmpdir(), 'holdfast-native-'));
        const file = join(dir, 'numbers');
        writeFileSync(file, '');
        const lines = () => readFileSync(file, 'utf8').trimEnd().split('\n');
        const start = () => startNativeUser(plan('shared', { file }));
        const programs = [start(), start(), start()];
        try {
          for (let at = 0; at < 3; at += 1) {
            const seen = lines().length;
            await waitFor('they go on', () => lines().length > seen + LINES / 4, PATIENCE_MS);
            await programs[at]!.kill();
            programs[at] = start();
          }
          await waitFor('there are enough', () => lines().length >= LINES, PATIENCE_MS);
          for (const program of programs) await program.fact('ready', PATIENCE_MS);
          await Promise.all(programs.map((program) => program.end()));
          const written = lines().map((line) => line.split(' '));
          // Each has read what the one before it wrote, and no client has written beside another.
          expect(written.map(([number]) => Number(number))).toEqual(written.map((_, at) => at + 1));
          const fences = written.map(([, fence]) => BigInt(fence!));
          expect(fences.every((fence, at) => at === 0 || fence > fences[at - 1]!)).toBe(true);
        } finally {
          await Promise.all(programs.map((program) => program.kill()));
          rmSync(dir, { recursive: true, force: true });
        }
      }),
      LONGEST_MS,
    );

    test(
      'a waiter for a killed holder acquires with a higher fence',
      inTurn(async () => {
        await using holder = startNativeUser(plan('killed'));
        const held = await holder.fact('held', PATIENCE_MS);
        const user = pools[client]!(url());
        const locks = openNative(engine, user.client);
        const waiting = underLock(locks, kind, `killed ${kind} ${client}`, async ({ fence }) => fence, {
          timeoutMs: PATIENCE_MS,
        });
        await holder.kill();
        expect(await waiting).toBeGreaterThan(BigInt(String(held['fence'])));
        await locks.close();
        await user.end();
      }),
      LONGEST_MS,
    );

    test(
      'a stopped holder does not believe that it holds when it goes on',
      inTurn(async () => {
        const leased = kind === 'tableLock';
        const transaction = kind === 'rowLock' || kind === 'transactionAdvisoryLock';
        await using holder = startNativeUser(plan('stopped', { renewalLeaseMs: STOPPED_LEASE_MS }));
        await holder.fact('held', PATIENCE_MS);
        await holder.pause();
        const user = pools[client]!(url());
        const locks = openNative(engine, user.client);
        // A time-out would count from the first connection, which takes longer than the lease on a busy machine: the waiter
        // is then told that the store did not answer.
        const refused = new Promise((resolve) => {
          locks.on('contended', resolve);
        });
        const leaving = new AbortController();
        const next = outcomeOf(
          underLock(
            locks,
            kind,
            `stopped ${kind} ${client}`,
            ignored,
            leased ? { timeoutMs: PATIENCE_MS } : { signal: leaving.signal },
          ),
        );
        if (!leased) {
          await Promise.race([refused, next]);
          await new Promise((resolve) => {
            setTimeout(resolve, 1.5 * STOPPED_LEASE_MS);
          });
          leaving.abort({ code: 'still out' });
        }
        // A table lock has a lease in the table, and the next one gets in; the others live by their connection.
        expect(await next).toBe(leased ? 'in' : 'still out');
        holder.resume();
        await holder.fact('lost', PATIENCE_MS);
        // What it does not believe in it gives back; but a transaction ends when its function does.
        if (transaction) await holder.kill();
        expect(
          await outcomeOf(
            underLock(locks, kind, `stopped ${kind} ${client}`, ignored, { timeoutMs: PATIENCE_MS }),
          ),
        ).toBe('in');
        await locks.close();
        await user.end();
      }),
      LONGEST_MS,
    );
  });
}

describeWith('postgres')('processes with locks of PostgreSQL', { concurrent: true }, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
    await springTables('postgres', postgresPools['pg']!(server.url));
  }, 60_000);
  afterAll(() => server?.stop());
  processCases('postgres', () => server.url, [
    { client: 'pg', kind: 'advisoryLock' },
    { client: 'postgres.js', kind: 'advisoryLock' },
    { client: 'pg', kind: 'transactionAdvisoryLock' },
    { client: 'pg', kind: 'rowLock' },
    { client: 'postgres.js', kind: 'rowLock' },
    { client: 'pg', kind: 'tableLock' },
  ]);
});

describeWith('mariadb')('processes with locks of MariaDB', { concurrent: true }, () => {
  let server: MariadbServer;
  beforeAll(async () => {
    server = await startMariadb();
    await springTables('mysql', mysqlPools['mysql2']!(server.url));
  }, 60_000);
  afterAll(() => server?.stop());
  processCases('mysql', () => server.url, [
    { client: 'mysql2', kind: 'namedLock' },
    { client: 'mariadb', kind: 'namedLock' },
    { client: 'mysql2', kind: 'rowLock' },
    { client: 'mariadb', kind: 'rowLock' },
    { client: 'mysql2', kind: 'tableLock' },
  ]);
});
