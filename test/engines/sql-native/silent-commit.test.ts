import { afterAll, beforeAll, expect, test } from 'vitest';
import { MuteProxy } from '../../faults/sql/mute-proxy.ts';
import { type MariadbServer, startMariadb } from '../../fixtures/sql/mariadb-server.ts';
import { type PostgresServer, startPostgres } from '../../fixtures/sql/postgres-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import { nativeBench } from './bench.ts';

/** Longer than a busy machine keeps a process waiting: a hold that is lost before it commits rejects with its loss. */
const LEASE_MS = 3_000;
const PATIENCE_MS = 60_000;

/** What `run` does when the network goes silent between the last statement of its function and the commit. */
function silentCommitCases(
  engine: 'postgres' | 'mysql',
  clients: readonly string[],
  server: () => PostgresServer | MariadbServer,
): void {
  const bench = nativeBench(engine, afterAll);

  test.each(clients)(
    'a commit without an answer over %s ends, its outcome unknown, and leaves the pool whole',
    async (client) => {
      using proxy = await MuteProxy.start(server().port);
      const url = server().urlFor(server().user, server().password, proxy.port);
      const user = bench.client(url, client, 1);
      const locks = bench.locks(user, { renewalLeaseMs: LEASE_MS });
      const silent = locks.rowLock(`silent ${client}`).run(async (hold) => {
        await hold.query('select 1');
        proxy.mute();
      });
      await expect(silent).rejects.toMatchObject({
        code: 'ENGINE',
        retryable: true,
        message: expect.stringContaining('unknown whether the transaction was committed') as string,
      });
      expect(await locks.rowLock(`next ${client}`).run(() => 'in')).toBe('in');
    },
    PATIENCE_MS,
  );
}

describeWith('postgres')('a silent network under a transaction of PostgreSQL', { concurrent: true }, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, PATIENCE_MS);
  afterAll(() => server?.stop());
  silentCommitCases('postgres', ['pg', 'postgres.js'], () => server);
});

describeWith('mariadb')('a silent network under a transaction of MariaDB', { concurrent: true }, () => {
  let server: MariadbServer;
  beforeAll(async () => {
    server = await startMariadb();
  }, PATIENCE_MS);
  afterAll(() => server?.stop());
  silentCommitCases('mysql', ['mysql2', 'mariadb'], () => server);
});
