import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SqlClient, SqlSession } from '../../../src/engines/sql/sql-client.ts';
import { type MariadbServer, startMariadb } from '../../fixtures/sql/mariadb-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import { nativeBench } from './bench.ts';
import { openNative } from './native-engine.ts';

const DEADLINE_MS = 60_000;
const TABLE = 'row_locks';
/** What MariaDB carries out and MySQL does not read. */
const ONLY_FOR_MARIADB = /\/\*M!.*?\*\//gs;

/** The same client as MySQL understands it. Calls before each statement of a session. */
function readAsMysql(client: SqlClient, before: (text: string) => Promise<void>): SqlClient {
  const session = async (): Promise<SqlSession> => {
    const own = await client.openSession!();
    const query: SqlSession['query'] = async (text, values) => {
      await before(text);
      return own.query(text.replaceAll(ONLY_FOR_MARIADB, ''), values);
    };
    return {
      query,
      native: own.native,
      onNotice: own.onNotice,
      onBroken: (told) => own.onBroken(told),
      end: (how) => own.end(how),
    };
  };
  return {
    openSession: session,
    query: (text, values) => client.query(text.replaceAll(ONLY_FOR_MARIADB, ''), values),
    failure: (error) => client.failure(error),
    close: () => client.close(),
  };
}

describeWith('mariadb')('the row of a new name', () => {
  let server: MariadbServer;
  const bench = nativeBench('mysql');
  beforeAll(async () => {
    server = await startMariadb();
  }, DEADLINE_MS);
  afterAll(() => server?.stop());

  test(
    'that a rival has put in and locked meanwhile is waited for as a lock, not by the insert, also on MySQL',
    async () => {
      await bench
        .open(server.url)
        .rowLock('creates the table')
        .run(() => undefined);
      const rival = await bench.client(server.url, 'mysql2', 1).client.openSession!();
      const seen: string[] = [];
      const client = readAsMysql(bench.client(server.url, 'mysql2', 2).client, async (text) => {
        seen.push(text);
        if (text.includes('insert ignore into')) {
          await rival.query(`insert into ${TABLE} (name, fence) values ('new', 7)`, []);
          await rival.query('start transaction', []);
          await rival.query(`select fence from ${TABLE} where name = 'new' for update`, []);
        }
        // It waits for the lock by now: the insert is over.
        if (text.endsWith('for update')) await rival.query('rollback', []);
      });
      const locks = openNative('mysql', client, { commandTimeoutMs: 5_000 });
      const fence = await locks.rowLock('new').run((hold) => hold.fence, { timeoutMs: DEADLINE_MS / 2 });
      expect(fence).toBeGreaterThan(7n);
      expect(seen.filter((text) => text.includes('insert ignore into'))).toHaveLength(1);
      await locks.close();
      await rival.end('reuse');
    },
    DEADLINE_MS,
  );
});
