import { expect, test } from 'vitest';
import { createPool } from 'mysql2/promise';
import pg from 'pg';
import { connect } from '../../../src/index.ts';
import { mysql, schemaSql as mysqlSchema } from '../../../src/engines/mysql/index.ts';
import { postgres, type PostgresSynchronizers, schemaSql } from '../../../src/engines/postgres/index.ts';
import { startMariadb } from '../../fixtures/sql/mariadb-server.ts';
import { startPostgres } from '../../fixtures/sql/postgres-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';

describeWith('postgres')('the engine for PostgreSQL', () => {
  test('has the locks of the database beside its own', async () => {
    await using server = await startPostgres();
    const pool = new pg.Pool({ connectionString: server.url });
    pool.on('error', () => undefined);
    // By a client that may, in advance.
    await pool.query(schemaSql('postgres'));
    const locks = postgres({ pool });
    await locks.lock('own').run(async () => {
      await locks.rowLock('row').run(async (hold) => {
        expect((await hold.query('select 1')).rows).toEqual([[1]]);
        await locks.advisoryLock('advisory').run(({ fence }) => expect(fence).toBeGreaterThan(0n));
      });
    });
    const other = (await connect(server.url)) as PostgresSynchronizers;
    const hold = await locks.advisoryLock('closed').acquire();
    expect(await other.advisoryLock('closed').tryAcquire()).toBeNull();
    // Gives back what it holds, and its connections.
    await locks.close();
    expect(hold.lost.aborted).toBe(true);
    await (await other.advisoryLock('closed').acquire({ timeoutMs: 5_000 })).release();
    await other.close();
    await pool.end();
  }, 30_000);
});

describeWith('mariadb')('the engine for MariaDB', () => {
  test('has the locks of the database beside its own', async () => {
    await using server = await startMariadb();
    const pool = createPool({ uri: server.url });
    for (const statement of mysqlSchema('mysql')
      .split(';\n')
      .filter((text) => text.trim() !== '')) {
      await pool.query(statement);
    }
    const locks = mysql({ pool });
    await locks.lock('own').run(async () => {
      await locks.rowLock('row').run(async (hold) => {
        expect((await hold.query(`select 'one'`)).rows).toEqual([['one']]);
        await locks.namedLock('named').run(({ fence }) => expect(fence).toBeGreaterThan(0n));
      });
    });
    await locks.close();
    await pool.end();
  }, 30_000);
});
