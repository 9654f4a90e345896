import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SqlClient, SqlSession } from '../../../src/engines/sql/sql-client.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import { BLOCKING } from './blocking.ts';
import { databases, type OpenedLocks, valueOf } from './databases.ts';

const DEADLINE_MS = 30_000;
/** The client that lends no connection for a statement: several of them share one, and what was sent is not ended. */
const KEEPS_TO_ITSELF = 'postgres.js';

/** What the server ends by itself, because the client that should have done it cannot. */
for (const [title, database] of Object.entries(databases)) {
  describeWith(database.program)(`limits on ${title}`, () => {
    let server: Awaited<ReturnType<typeof database.start>>;
    let admin: OpenedLocks;
    const blocking = BLOCKING[database.engine];
    beforeAll(async () => {
      server = await database.start();
      admin = database.open(server.url);
    }, 60_000);
    afterAll(async () => {
      await admin?.close();
      await server?.stop();
    });

    describe.each(database.clients)('over %s', (client) => {
      test(
        'a transaction whose client stands still is ended by the server (soundness 21)',
        async () => {
          const name = `stands still ${client}`;
          const before = await admin.lock(name).run(({ fence }) => fence);
          const still = standingStill();
          const settings = { client, commandTimeoutMs: 1000, through: still.through };
          const locks = database.open(server.url, settings);
          const outcome = locks.inside.documents.exclusively!('lock', name, (found) => ({
            answer: () => found.version,
          })).catch((error: unknown) => error);
          await waitFor('it has the row', () => still.hasRow, DEADLINE_MS);
          const hold = await admin.lock(name).acquire({ timeoutMs: DEADLINE_MS / 2 });
          expect(hold.fence).toBeGreaterThan(before);
          await hold.release();
          still.goOn();
          await outcome;
          await locks.close();
        },
        DEADLINE_MS,
      );

      test(
        'statements that are given up do not stay in the server beside those that follow',
        async () => {
          const most = 3;
          const settings = { client, most, commandTimeoutMs: 1000 };
          const locks = database.open(server.url, settings);
          await admin.lock('warm').run(() => undefined);
          // As a migration does it.
          const blocker = await admin.pool.client.openSession!();
          await blocker.query(blocking.lock, []);
          const seen: number[] = [];
          const waiting = async (): Promise<number> => {
            const count = Number(await valueOf(admin.pool.client, blocking.waiting));
            seen.push(count);
            return count;
          };
          const attempts = Array.from({ length: 2 * most }, async (_, at) => {
            for (let time = 0; time < 3; time++)
              await locks
                .lock(`blocked ${client} ${at}`)
                .tryAcquire()
                .catch(() => waiting());
          });
          await Promise.all(attempts);
          // With those that are just being ended.
          expect(Math.max(...seen), `${Math.max(...seen)} of a pool of ${most}`).toBeLessThanOrEqual(
            3 * most,
          );
          expect(seen.length).toBeGreaterThan(0);
          if (client !== KEEPS_TO_ITSELF)
            await waitFor(
              'none of them is left, though the table is still locked',
              async () => Number(await valueOf(admin.pool.client, blocking.old)) === 0,
              DEADLINE_MS,
            );
          await blocker.query(blocking.unlock, []);
          await blocker.end('reuse');
          await locks.lock(`blocked ${client} 0`).run(() => undefined, { timeoutMs: DEADLINE_MS });
          await locks.close();
        },
        2 * DEADLINE_MS,
      );
    });
  });
}

/** A client as it is while its process is stopped: after it has locked a row it says nothing more, not even that it goes. */
function standingStill() {
  let goOn: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => (goOn = resolve));
  const state = { hasRow: false, goOn: () => goOn(), through: (sql: SqlClient) => over(sql) };
  const over = (sql: SqlClient): SqlClient => ({
    query: (text, values) => sql.query(text, values),
    failure: (error) => sql.failure(error),
    openSession: async () => stoppingSession(await sql.openSession!()),
    close: () => sql.close(),
  });
  const stoppingSession = (session: SqlSession): SqlSession => ({
    native: session.native,
    onNotice: session.onNotice,
    onBroken: (told) => session.onBroken(told),
    query: async (text, values) => {
      if (state.hasRow) await stopped;
      const result = await session.query(text, values);
      if (text.includes('for update')) state.hasRow = true;
      return result;
    },
    end: async (how) => {
      await stopped;
      await session.end(how);
    },
  });
  return state;
}
