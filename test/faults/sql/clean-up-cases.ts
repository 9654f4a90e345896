import { expect, test } from 'vitest';
import { type Database, valueOf } from './databases.ts';
import type { Ground } from './ground.ts';
import { setMovedClock } from './moved-clock.ts';

const NAMES = 10_000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Rows as the engine writes them, many times over: one for each name that was used once. */
const copies = {
  postgres: 'cross join generate_series(1, ?) as copy(number)',
  mysql: 'cross join (select seq as number from seq_1_to_?) as copy',
} as const;

const MYSQL_NAME = `concat('holdfast:clean-up:', md5(concat_ws('.', database(), '\`many_cells\`')))`;
const POSTGRES_KEY = `hashtextextended('holdfast clean-up of "many_cells"', 0)`;
/** What a process has while it cleans up. */
const alone = {
  postgres: {
    take: `select pg_advisory_lock(${POSTGRES_KEY})`,
    release: `select pg_advisory_unlock(${POSTGRES_KEY})`,
  },
  mysql: { take: `select get_lock(${MYSQL_NAME}, 0)`, release: `select release_lock(${MYSQL_NAME})` },
} as const;

export function cleanUpCases(database: Database, ground: () => Ground): void {
  test('ten thousand names are gone after the clean-up, and what is held is not', async () => {
    const { server, admin } = ground();
    const { client } = admin.pool;
    await using locks = database.open(server.url, {
      tablePrefix: 'many_',
      now: database.movedClock,
      announce: false,
    });
    const held = await locks.lock('held').acquire({ leaseMs: 60 * DAY_MS });
    await locks.lock('once').run(() => undefined);
    const columns = (await columnsOf(database, ground())).filter((column) => column !== 'name');
    const name = database.engine === 'postgres' ? `name || number` : 'concat(name, number)';
    const from = copies[database.engine].replace('?', String(NAMES - 1));
    await client.query(
      `insert into many_cells (name, ${columns.join(', ')}) select ${name}, ${columns.join(', ')} from many_cells ${from} where name = 'once'`,
      [],
    );
    const count = async (): Promise<number> =>
      Number(await valueOf(client, 'select count(*) from many_cells'));
    expect(await count()).toBe(NAMES + 1);
    await locks.inside.cleanUp.runAll();
    expect(await count(), 'fences are remembered for a week').toBe(NAMES + 1);
    await setMovedClock(ground(), 30 * DAY_MS);
    // As if another process were at it.
    const other = await client.openSession!();
    try {
      await other.query(alone[database.engine].take, []);
      await locks.inside.cleanUp.runAll();
      expect(await count(), 'one process at a time').toBe(NAMES + 1);
      await other.query(alone[database.engine].release, []);
    } finally {
      // Of a failed case as well: the pool of pg does not end before its last connection is back.
      await other.end('reuse');
    }
    await locks.inside.cleanUp.runAll();
    await setMovedClock(ground(), 0);
    expect(await count(), 'only what is held is left').toBe(1);
    await held.release();
  }, 60_000);
}

async function columnsOf(database: Database, { admin }: Ground): Promise<readonly string[]> {
  const inSchema = database.engine === 'postgres' ? `'public'` : 'database()';
  const { rows } = await admin.pool.client.query(
    `select column_name from information_schema.columns where table_name = 'many_cells' and table_schema = ${inSchema}`,
    [],
  );
  return rows.map(([column]) => String(column));
}
