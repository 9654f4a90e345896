import pg from 'pg';
import { expect, test } from 'vitest';
import { isStopped } from '../fixtures/processes/server-process.ts';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../fixtures/redis/redis-server.ts';
import { startPostgres } from '../fixtures/sql/postgres-server.ts';
import { describeWith } from '../fixtures/sql/sql-binaries.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { startExample } from './start-example.ts';

describeRedis('a fenced write', () => {
  describeWith('postgres')('to PostgreSQL', () => {
    test('a holder that stood still until another has written is refused', async () => {
      await using server = await startRedisServer();
      const database = await startPostgres({ trusting: true });
      const pool = new pg.Pool({ connectionString: database.url, max: 1 });
      try {
        await pool.query(
          'create table accounts (name text primary key, balance bigint not null, fence bigint not null default 0)',
        );
        await pool.query(`insert into accounts values ('ada', 100)`);
        const env = { HOLDFAST_URL: server.url, DATABASE_URL: database.url };
        const start = (amount: string, more = {}) =>
          startExample('fenced-write-to-postgres', [amount], { ...env, ...more });

        expect(await start('1').ended).toMatchObject({ code: 0, stdout: 'read 100\nwrote 101\n' });

        const slow = start('10', { LEASE_MS: '1000', WORK_MS: '2000' });
        await slow.printed('read 101');
        slow.kill('SIGSTOP');
        await waitFor('the slow one stands still', () => isStopped(slow.pid));
        // Acquires when the lease of the slow one has ended.
        expect(await start('100').ended).toMatchObject({ code: 0, stdout: 'read 101\nwrote 201\n' });
        slow.kill('SIGCONT');
        const refused = await slow.ended;
        expect(refused).toMatchObject({ code: 1, stdout: 'read 101\n' });
        expect(refused.stderr).toContain('refused: a later holder of the lock has written');

        const { rows } = await pool.query('select balance from accounts');
        expect(rows).toEqual([{ balance: '201' }]);
      } finally {
        await pool.end();
        await database.stop();
      }
    });
  });
});
