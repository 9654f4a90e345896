import assert from 'node:assert/strict';
import pg from 'pg';
import { afterAll, beforeAll, test } from 'vitest';
import { postgres, type PostgresSynchronizers } from '../../../src/engines/postgres/index.ts';
import { type PostgresServer, startPostgres } from '../../fixtures/sql/postgres-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import { waitFor } from '../../fixtures/redis/wait-for.ts';

interface Row {
  readonly version: string;
  readonly document: string;
  readonly wakes: string;
}

/** Resolves when this client has heard a message that is sent now. */
async function heardBy(
  { inspector }: PostgresSynchronizers,
  tell: (news: string, name?: string) => Promise<unknown>,
): Promise<void> {
  let heard = false;
  const stop = await inspector.changes((change) => {
    if (change.what === 'name' && change.name === 'the last') heard = true;
  });
  await tell('', 'the last');
  await waitFor('the last message is heard', () => heard);
  stop();
}

describeWith('postgres')('messages of PostgreSQL', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url, max: 10 });
  }, 60_000);
  afterAll(async () => {
    await pool.end();
    await server.stop();
  }, 60_000);

  const rowOf = async (name: string): Promise<Row> => {
    const text = 'select version, document, wakes from holdfast_cells where name = $1';
    const { rows } = await pool.query<Row>(text, [name]);
    return rows[0]!;
  };

  // Anybody who may connect may notify: also a user who may not even read our tables.
  test('that lie about a row let nobody in, and the waiter goes on', async () => {
    await using one = postgres({ pool });
    await using other = postgres({ pool });
    const hold = await one.lock('a').acquire();
    const waiting = other.lock('a').acquire();
    await waitFor('somebody waits', async () => (await one.lock('a').waiters()) === 1);
    // Into a state that the waiter has not seen: what it has seen itself it knows better than any message.
    await hold.extend(50_000);
    const { version, document } = await rowOf('a');
    const { state, ...rest } = JSON.parse(document) as { readonly state: object };
    const lie = JSON.stringify({ ...rest, state: { ...state, holder: null } });
    const tell = (news: string, name = 'a') =>
      pool.query('select pg_notify($1, $2)', ['holdfast_wake', `lock ${name}\n*\n${news}`]);
    const later = Date.now() + 1000;
    await tell(`${later} ${version} ${lie}`);
    await tell(`${later} ${version} {`);
    await tell(`${later} ${version} {"state":5}`);
    await tell('nonsense');
    await tell('');
    // Messages come in the order in which they were sent: what came before this one has been heard.
    await heardBy(other, tell);
    await hold.extend(60_000);
    assert.equal((await one.lock('a').holder())?.fence, hold.fence);
    hold.throwIfLost();
    await hold.release();
    const next = await waiting;
    assert.ok(next.fence > hold.fence);
    await next.release();
  }, 60_000);
});
