import { afterAll, beforeAll, describe, test } from 'vitest';
import { openMysql } from '../../../src/engines/mysql/open-mysql.ts';
import { conformance, quorumLockSuite } from '../../../src/testing/index.ts';
import { type MariadbServer, startMariadb } from '../../fixtures/sql/mariadb-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import { fewAtATime, oneByOne } from '../redis/side-by-side.ts';
import { SqlHarness } from '../sql/sql-harness.ts';
import { mysqlPools } from '../sql-clients/client-kinds.ts';
import { inShifts } from '../sqlite/in-shifts.ts';

const MOST_CONNECTIONS = 2;

/** The whole conformance suite on MariaDB with one of the clients. */
export function mysqlConformance(client: string): void {
  let server: MariadbServer | undefined;
  const options = {
    engine: 'mysql',
    extras: ['inspector'],
    open: openMysql,
    connect: () => mysqlPools[client]!(server!.url, MOST_CONNECTIONS),
  };
  const harness = new SqlHarness(options);
  const patient = new SqlHarness({ ...options, unitMs: 1200 });
  describeWith('mariadb')(`with ${client}`, () => {
    beforeAll(async () => {
      server = await startMariadb({ settings: { 'max-connections': '600' } });
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
