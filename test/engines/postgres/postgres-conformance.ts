import { afterAll, beforeAll, describe, test } from 'vitest';
import { openPostgres } from '../../../src/engines/postgres/open-postgres.ts';
import { conformance, quorumLockSuite } from '../../../src/testing/index.ts';
import { type PostgresServer, startPostgres } from '../../fixtures/sql/postgres-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import { fewAtATime, oneByOne } from '../redis/side-by-side.ts';
import { SqlHarness } from '../sql/sql-harness.ts';
import { postgresPools } from '../sql-clients/client-kinds.ts';
import { inShifts } from '../sqlite/in-shifts.ts';

const MOST_CONNECTIONS = 2;

/** The whole conformance suite with one of the clients. */
export function postgresConformance(client: string): void {
  let server: PostgresServer | undefined;
  const options = {
    engine: 'postgres',
    extras: ['inspector'],
    open: openPostgres,
    connect: () => postgresPools[client]!(server!.url, MOST_CONNECTIONS),
  };
  const harness = new SqlHarness(options);
  const patient = new SqlHarness({ ...options, unitMs: 1200 });
  describeWith('postgres')(`with ${client}`, () => {
    beforeAll(async () => {
      server = await startPostgres({ trusting: true, settings: { max_connections: '600' } });
      await harness.growUp();
    }, 60_000);
    afterAll(async () => {
      await harness.bury();
      await patient.bury();
      await server?.stop();
    }, 60_000);

    conformance({ ...inShifts(describe, test, 16), harness });
    quorumLockSuite({ ...fewAtATime(describe, test, async () => undefined), harness: patient });
    describe('alone', () => {
      conformance({ ...oneByOne(test), harness });
    });
  });
}
