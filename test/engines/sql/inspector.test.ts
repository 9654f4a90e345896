import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool } from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, describe } from 'vitest';
import { mysql } from '../../../src/engines/mysql/index.ts';
import { postgres } from '../../../src/engines/postgres/index.ts';
import { loadDriver } from '../../../src/engines/sqlite/file/drivers.ts';
import { sqlite } from '../../../src/engines/sqlite/index.ts';
import { type MariadbServer, startMariadb } from '../../fixtures/sql/mariadb-server.ts';
import { type PostgresServer, startPostgres } from '../../fixtures/sql/postgres-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import { inspectorCases } from './inspector-cases.ts';

describe('the inspector of SQLite', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-inspector-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = (): string => join(folder, 'locks.db');
  inspectorCases(
    () => sqlite({ file: file() }),
    async (kind, name) => {
      const connection = (await loadDriver()).open(file());
      const text = 'select fence from holdfast_cells where kind = ? and name = ?';
      const [row = []] = connection.run(text, [kind, name]).rows;
      connection.close();
      return BigInt(Number(row[0]));
    },
  );
});

describeWith('postgres')('the inspector of PostgreSQL', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url, max: 20 });
  }, 60_000);
  afterAll(async () => {
    await pool.end();
    await server.stop();
  }, 60_000);
  inspectorCases(
    () => postgres({ pool }),
    async (kind, name) => {
      const text = 'select fence from holdfast_cells where kind = $1 and name = $2';
      const { rows } = await pool.query<{ fence: string }>(text, [kind, name]);
      return BigInt(rows[0]!.fence);
    },
  );
});

describeWith('mariadb')('the inspector of MariaDB', () => {
  let server: MariadbServer;
  let pool: ReturnType<typeof createPool>;
  beforeAll(async () => {
    server = await startMariadb();
    pool = createPool({ uri: server.url, connectionLimit: 20 });
  }, 60_000);
  afterAll(async () => {
    await pool.end();
    await server.stop();
  }, 60_000);
  inspectorCases(
    () => mysql({ pool }),
    async (kind, name) => {
      const text = 'select cast(fence as char) from holdfast_cells where kind = ? and name = ?';
      const [rows] = await pool.query({ sql: text, rowsAsArray: true }, [kind, name]);
      return BigInt((rows as unknown as string[][])[0]![0]!);
    },
  );
});
