import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../../fixtures/wait-for.ts';
import { type Pgbouncer, startPgbouncer } from '../../fixtures/sql/pgbouncer.ts';
import { type PostgresServer, startPostgres } from '../../fixtures/sql/postgres-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import { databases } from './databases.ts';
import { uses } from './name-cases.ts';

const { PostgreSQL: database } = databases;
const DEADLINE_MS = 60_000;

describeWith('postgres', 'pgbouncer')(
  'behind PgBouncer that gives each transaction another connection',
  () => {
    let server: PostgresServer;
    let pooler: Pgbouncer;
    const warnings: string[] = [];
    const hear = (warning: Error & { readonly code?: string }): void => {
      if (warning.code !== undefined) warnings.push(warning.code);
    };
    beforeAll(async () => {
      process.on('warning', hear);
      server = await startPostgres();
      pooler = await startPgbouncer(server, { mode: 'transaction', poolSize: 4 });
    }, DEADLINE_MS);
    afterAll(async () => {
      process.off('warning', hear);
      await pooler?.stop();
      await server?.stop();
    });

    test.each(database.clients)(
      '%s: everything works, waiters poll the rows, and one warning says so',
      async (client) => {
        await using locks = database.open(pooler.url, { client });
        await using other = database.open(pooler.url, { client });
        const name = `waited for ${client}`;
        const handOver = async (): Promise<void> => {
          const hold = await locks.lock(name).acquire();
          const waiting = other.lock(name).run(({ fence }) => fence);
          await waitFor('it waits', async () => (await locks.lock(name).waiters()) === 1);
          await hold.release();
          expect((await waiting) > hold.fence).toBeTruthy();
        };
        for (const use of Object.values(uses)) await use(locks, `through ${client}`);
        const troubles: unknown[] = [];
        other.on('trouble', ({ error }) => troubles.push(error));
        // The test does not wait for the listening to be found deaf, which takes two seconds.
        for (let time = 0; time < 3; time++) await handOver();
        await waitFor('it is notified', () => troubles.length > 0, DEADLINE_MS);
        expect(String(troubles[0])).toMatch(/notifications do not arrive/);
        await handOver();
        expect(troubles.length).toBe(1);
        expect(warnings, 'once in a process').toStrictEqual(['HOLDFAST_NO_NOTIFICATIONS']);
      },
      2 * DEADLINE_MS,
    );
  },
);
