import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Notices } from '../../../src/engines/postgres/notices.ts';
import { postgres, type PostgresSynchronizers } from '../../../src/engines/postgres/index.ts';
import { type PostgresServer, startPostgres } from '../../fixtures/sql/postgres-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import { waitFor } from '../../fixtures/wait-for.ts';

interface Row {
  readonly version: string;
  readonly document: string;
  readonly wakes: string;
}

/** What is not said of it is nothing. */
interface Lie {
  readonly name?: string;
  readonly document?: string | undefined;
  readonly at?: string;
}

/** Resolves when this client has heard a message that is sent now. */
async function heardBy(
  { inspector }: PostgresSynchronizers,
  tell: (lie: Lie) => Promise<unknown>,
): Promise<void> {
  let heard = false;
  const stop = await inspector.changes((change) => {
    if (change.what === 'name' && change.name === 'the last') heard = true;
  });
  await tell({ name: 'the last' });
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

  // A role that may read our tables knows their secret, and may not be permitted to write to them.
  test('that lie about a row grant nothing, and the waiter goes on', async () => {
    await using one = postgres({ pool });
    await using other = postgres({ pool });
    const hold = await one.lock('a').acquire();
    const waiting = other.lock('a').acquire();
    await waitFor('a client waits', async () => (await one.lock('a').waiters()) === 1);
    // Into a state that the waiter has not seen: what it has seen itself it knows better than any message.
    await hold.extend(50_000);
    const { version, document } = await rowOf('a');
    const { state, ...rest } = JSON.parse(document) as { readonly state: object };
    const lie = JSON.stringify({ ...rest, state: { ...state, holder: null } });
    const { rows } = await pool.query<{ readonly secret: string }>('select secret from holdfast_schema');
    const notices = new Notices(rows[0]!.secret, 'holdfast_');
    const say = (payload: string) => pool.query('select pg_notify($1, $2)', [notices.channel, payload]);
    const tell = ({ name = 'a', document: told, at = String(Date.now() + 1000) }: Lie) =>
      say(`${notices.sealed({ kind: 'lock', name, wake: '*', version, document: told })} ${at}`);
    for (const told of [lie, '{', '{"state":5}', undefined]) await tell({ document: told });
    await tell({ document: lie, at: 'soon' });
    const others = new Notices('a guess', 'holdfast_');
    const tag = notices.tagOf('lock', 'a');
    const guessed = others.sealed({ kind: 'lock', name: 'a', wake: '*', version, document: lie });
    await say(guessed);
    await say(`${tag} ${guessed.split(' ')[1]} 1`);
    for (const nonsense of ['nonsense', '', tag, `${tag} `, `${tag} AAAA`]) await say(nonsense);
    // Messages come in the order in which they were sent: what came before this one has been heard.
    await heardBy(other, tell);
    await hold.extend(60_000);
    expect((await one.lock('a').holder())?.fence).toBe(hold.fence);
    hold.throwIfLost();
    await hold.release();
    const next = await waiting;
    expect(next.fence > hold.fence).toBeTruthy();
    await next.release();
  }, 60_000);
});
