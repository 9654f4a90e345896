import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock, systemRandom } from '../../../src/core/time/clock.ts';
import { openPostgres } from '../../../src/engines/postgres/open-postgres.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { type PostgresServer, startPostgres } from '../../fixtures/sql/postgres-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import { postgresPools } from '../sql-clients/postgres-pools.ts';

const PASSWORD = 'may-only-listen';
const NAME = 'order 77 of tenant "secret"';
const SCHEMAS = ['tenant_one', 'tenant_two'];
const SYSTEM = { clock: systemClock, random: systemRandom };

/** An engine object that remembers the channels it listens on. */
function openIn(server: PostgresServer, schema: string) {
  const pool = postgresPools['pg']!(server.url, 4);
  const channels: string[] = [];
  const { client } = pool;
  const sql = {
    ...client,
    listen: (channel: string, heard: (payload?: string) => void) => {
      channels.push(channel);
      return client.listen!(channel, heard);
    },
  };
  const locks = openPostgres(sql, { schema }, SYSTEM);
  const close = async (): Promise<void> => {
    await locks.close();
    await pool.end();
  };
  return { ...locks, channels, [Symbol.asyncDispose]: close };
}

/** One hand-over from client to client, by a message. The owners of both. */
async function handOver(server: PostgresServer, schema: string) {
  await using one = openIn(server, schema);
  await using other = openIn(server, schema);
  const hold = await one.fairLock(NAME).acquire();
  const before = (await one.fairLock(NAME).holder())!.owner;
  const waiting = other.fairLock(NAME).acquire();
  await waitFor('one waits', async () => (await one.fairLock(NAME).waiters()) === 1);
  await waitFor('it listens', () => other.channels.length === 1);
  await hold.release();
  const next = await waiting;
  const after = (await one.fairLock(NAME).holder())!.owner;
  await next.release();
  return { channel: other.channels[0]!, owners: [before, after] };
}

describeWith('postgres')('a role that may connect and nothing else', () => {
  let server: PostgresServer;
  let admin: pg.Client;
  let stranger: pg.Client;
  const heard: { readonly channel: string; readonly payload?: string }[] = [];
  const listenOn = async (channel: string) => stranger.query(`listen "${channel}"`);
  /** All that was sent before this has been heard by then. */
  const hearAll = async (): Promise<void> => {
    await listenOn('the_end');
    await admin.query(`notify the_end`);
    await waitFor('the last message is heard', () => heard.at(-1)?.channel === 'the_end');
    heard.pop();
  };

  beforeAll(async () => {
    server = await startPostgres();
    admin = new pg.Client(server.url);
    await admin.connect();
    for (const schema of SCHEMAS) await admin.query(`create schema ${schema}`);
    await admin.query(`create role stranger login password '${PASSWORD}'`);
    for (const schema of SCHEMAS) await admin.query(`grant usage on schema ${schema} to stranger`);
    stranger = new pg.Client(server.urlFor('stranger', PASSWORD));
    stranger.on('notification', ({ channel, payload }) => heard.push({ channel, payload: payload ?? '' }));
    await stranger.connect();
  }, 60_000);
  afterAll(async () => {
    await stranger.end();
    await admin.end();
    await server.stop();
  }, 60_000);

  test('hears nothing on a channel whose name it can know, and cannot learn the name', async () => {
    await listenOn('holdfast_wake');
    await handOver(server, SCHEMAS[0]!);
    await hearAll();
    expect(heard).toStrictEqual([]);
    await expect(stranger.query(`select * from ${SCHEMAS[0]}.holdfast_schema`)).rejects.toThrow(
      /permission denied/,
    );
  }, 60_000);

  test('a role that listens all the same learns no name, no owner and no document', async () => {
    const { channel } = await handOver(server, SCHEMAS[0]!);
    await listenOn(channel);
    const { channel: again, owners } = await handOver(server, SCHEMAS[0]!);
    expect(again, 'all who use the same tables share a channel').toBe(channel);
    await hearAll();
    const told = heard.map(({ payload }) => payload ?? '').filter((payload) => !payload.startsWith('!'));
    expect(told.length > 0, 'a hand-over sends a message').toBeTruthy();
    for (const payload of told) {
      for (const word of ['order', 'tenant', 'secret', 'fair', 'fence', 'queue', 'until', ...owners])
        expect(!payload.includes(word), `${word} is in ${payload}`).toBeTruthy();
    }
    heard.length = 0;
  }, 60_000);

  test('who hears the channel of one schema hears nothing of another', async () => {
    const { channel } = await handOver(server, SCHEMAS[0]!);
    await listenOn(channel);
    await hearAll();
    heard.length = 0;
    const { channel: elsewhere } = await handOver(server, SCHEMAS[1]!);
    expect(elsewhere).not.toBe(channel);
    await hearAll();
    expect(heard).toStrictEqual([]);
  }, 60_000);
});
