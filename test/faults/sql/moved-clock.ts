import type { Ground } from './ground.ts';

/** The table that `Database.movedClock` reads, and that no engine makes. Until it is set, the clock is the server's. */
export async function makeMovedClock({ admin }: Ground): Promise<void> {
  const { client } = admin.pool;
  await client.query('create table clock (ms double precision)', []);
  await client.query('insert into clock values (0)', []);
}

export async function setMovedClock({ admin }: Ground, byMs: number): Promise<void> {
  await admin.pool.client.query(`update clock set ms = ${byMs}`, []);
}
