import { afterAll, beforeAll, describe, test } from 'vitest';
import { lockSuite, type Skip } from '../../src/testing/index.ts';
import { type MariadbServer, startMariadb } from '../fixtures/sql/mariadb-server.ts';
import { type PostgresServer, startPostgres } from '../fixtures/sql/postgres-server.ts';
import { describeWith } from '../fixtures/sql/sql-binaries.ts';
import { oneByOne } from '../engines/redis/side-by-side.ts';
import { mysqlPools } from '../engines/sql-clients/mysql-pools.ts';
import { postgresPools } from '../engines/sql-clients/postgres-pools.ts';
import { gently } from '../engines/sql-native/gently.ts';
import { type Choice, NativeHarness } from '../engines/sql-native/native-harness.ts';
import { springTables } from '../engines/sql-native/spring-tables.ts';

const tableLock =
  (layout: 6 | 7): Choice =>
  (engine, name, { renewalLeaseMs }) =>
    engine.tableLock(name, {
      layout,
      prefix: `V${layout}_`,
      ...(renewalLeaseMs !== undefined && { renewalLeaseMs }),
    });

/** A suite opens many, and each hold or waiter has a connection of its own. */
const MOST = 30;

const ofConnections: readonly Skip[] = [
  {
    reason: 'it lives as long as its connection, so that what remains of it is not known',
    tests: ['queries tell what any client can see'],
  },
  {
    reason: 'a forced release ends the connection, and the holder learns of that at once',
    tests: [
      'the holder hears of a forced release at its next renewal',
      'a forced release that only the release or the disposal finds is reported by the signal and the event',
    ],
  },
];

const ofTables: readonly Skip[] = [
  {
    reason: 'its row ends for others two seconds later than for its holder, because their clocks may differ',
    tests: ['queries tell what any client can see'],
  },
];

const postgresChoices: Readonly<Record<string, Choice>> = {
  advisoryLock: (engine, name) => engine.advisoryLock(name),
  'tableLock of layout 7': tableLock(7),
};

const mysqlChoices: Readonly<Record<string, Choice>> = {
  namedLock: (engine, name) => engine.namedLock(name),
  'tableLock of layout 7': tableLock(7),
};

describeWith('postgres')('PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({ settings: { max_connections: '500' } });
    await springTables('postgres', postgresPools['pg']!(server.url));
  }, 60_000);
  afterAll(() => server?.stop());

  for (const [client, open] of Object.entries(postgresPools)) {
    for (const [name, choose] of Object.entries(postgresChoices)) {
      describe(`${name} over ${client}`, () => {
        const harness = new NativeHarness('postgres', () => open(server.url, MOST), choose);
        const skip = name.startsWith('tableLock') ? ofTables : ofConnections;
        lockSuite({ ...gently(describe, test), harness, skip });
        lockSuite({ ...oneByOne(test), harness, skip });
      });
    }
  }
});

describeWith('mariadb')('MariaDB', () => {
  let server: MariadbServer;
  beforeAll(async () => {
    server = await startMariadb({ settings: { 'max-connections': '500' } });
    await springTables('mysql', mysqlPools['mysql2']!(server.url));
  }, 60_000);
  afterAll(() => server?.stop());

  for (const client of ['mysql2', 'mariadb']) {
    for (const [name, choose] of Object.entries(mysqlChoices)) {
      describe(`${name} over ${client}`, () => {
        const harness = new NativeHarness('mysql', () => mysqlPools[client]!(server.url, MOST), choose);
        const skip = name.startsWith('tableLock') ? ofTables : ofConnections;
        lockSuite({ ...gently(describe, test), harness, skip });
        lockSuite({ ...oneByOne(test), harness, skip });
      });
    }
  }
});
