// A write that PostgreSQL refuses if its writer is no longer the holder of the lock.
//
// No lock can stop a process that stood still (a suspended machine, a long garbage collection) and goes on writing when the lock has
// another holder. The fence can: each hold has a higher one than all holds before, the row keeps the highest it has seen, and the
// `where` refuses a lower one.
//
//   create table accounts (name text primary key, balance bigint not null, fence bigint not null default 0);
//   insert into accounts values ('ada', 100);
//
//   HOLDFAST_URL=redis://127.0.0.1:6379 DATABASE_URL=postgres://… node fenced-write-to-postgres.ts 25
//
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'holdfast';
import pg from 'pg';

const amount = Number(process.argv[2]);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
// A holder that stands still for longer than this loses the lock.
const locks = await connect(process.env.HOLDFAST_URL ?? '', {
  renewalLeaseMs: Number(process.env.LEASE_MS ?? 30_000),
});

/** Stands for what takes long: an answer of another service, a computation. */
async function newBalance(balance: number): Promise<number> {
  await sleep(Number(process.env.WORK_MS ?? 100));
  return balance + amount;
}

try {
  await locks.lock('account:ada').run(async ({ fence }) => {
    const { rows } = await pool.query(`select balance from accounts where name = 'ada'`);
    console.log(`read ${rows[0].balance}`);
    const balance = await newBalance(Number(rows[0].balance));
    const { rowCount } = await pool.query(
      `update accounts set balance = $1, fence = $2 where name = 'ada' and fence <= $2`,
      [balance, fence],
    );
    if (rowCount === 0) throw new Error('refused: a later holder of the lock has written');
    console.log(`wrote ${balance}`);
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await locks.close();
  await pool.end();
}
