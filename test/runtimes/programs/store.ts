// `store NAME ADDRESS`: two clients of one store, opened as NAME says, exclude each other, wait for each other, and close.
// Ends by itself: nothing may be left that keeps the process alive.
import assert from 'node:assert/strict';
import { connect, type Synchronizers } from 'holdfast';
import type { RedisOptions } from 'holdfast/redis';

const [name = '', address = ''] = process.argv.slice(2);

type Kinds = 'lock' | 'fairLock' | 'semaphore' | 'monitor';

/** A client of the store, and what ends its connections. */
interface Opened {
  readonly locks: Synchronizers<Kinds>;
  readonly end: () => unknown;
}

const openers: Readonly<Record<string, () => Promise<Opened>>> = {
  connect: async () => ({ locks: await connect(address), end: () => undefined }),
  redis: async () => {
    const [{ createClient }, { redis }] = [await import('redis'), await import('holdfast/redis')];
    const client = await createClient({ url: address }).connect();
    return { locks: redis({ client }), end: () => client.destroy() };
  },
  ioredis: async () => withIoredis((await import('ioredis')).Redis),
  iovalkey: async () => withIoredis((await import('iovalkey')).Redis),
  pg: async () => {
    const [{ default: pg }, { postgres }] = [await import('pg'), await import('holdfast/postgres')];
    const pool = new pg.Pool({ connectionString: address });
    return { locks: postgres({ pool }), end: () => pool.end() };
  },
  'postgres.js': async () => {
    const [{ default: open }, { postgres }] = [await import('postgres'), await import('holdfast/postgres')];
    const pool = open(address, { fetch_types: false, onnotice: () => undefined });
    return { locks: postgres({ pool }), end: () => pool.end() };
  },
  mysql2: async () => {
    const [{ createPool }, { mysql }] = [await import('mysql2/promise'), await import('holdfast/mysql')];
    const pool = createPool(address);
    return { locks: mysql({ pool }), end: () => pool.end() };
  },
  mariadb: async () => {
    const [{ createPool }, { mysql }] = [await import('mariadb'), await import('holdfast/mysql')];
    const pool = createPool(address.replace(/^mysql:/, 'mariadb:'));
    return { locks: mysql({ pool }), end: () => pool.end() };
  },
};

async function withIoredis(
  Redis: new (url: string) => RedisOptions['client'] & { disconnect(): void },
): Promise<Opened> {
  const { redis } = await import('holdfast/redis');
  const client = new Redis(address);
  return { locks: redis({ client }), end: () => client.disconnect() };
}

const open = openers[name];
assert.ok(open, `expected one of ${Object.keys(openers).join(', ')}`);
const [one, other] = [await open(), await open()];
const hold = await one.locks.lock('till').acquire();
assert.equal(await other.locks.lock('till').tryAcquire(), null);
const waiting = other.locks.lock('till').acquire({ timeoutMs: 20_000 });
await hold.release();
const next = await waiting;
assert.ok(next.fence > hold.fence);
await assert.rejects(one.locks.lock('till').acquire({ timeoutMs: 200 }), { code: 'ACQUIRE_TIMEOUT' });
await next.release();

const turns: number[] = [];
await Promise.all(
  [one, other, one, other].map(({ locks }, turn) =>
    locks.fairLock('line').run(async () => {
      turns.push(turn);
      await new Promise((resolve) => setTimeout(resolve, 5));
      turns.push(turn);
    }),
  ),
);
for (let at = 0; at < turns.length; at += 2) assert.equal(turns[at], turns[at + 1]);

const [kept] = await Promise.all([
  one.locks.semaphore('printers', { permits: 1 }).run(() => 'kept'),
  other.locks.semaphore('printers', { permits: 1 }).run(() => 'kept'),
]);
assert.equal(kept, 'kept');
const queue = (locks: Synchronizers<Kinds>) =>
  locks.monitor<{ items: string[] }>('queue', { initial: { items: [] } });
const took = queue(one.locks).run(async (m) => {
  await m.waitUntil('filled', (state) => state.items.length > 0);
  return m.state.items[0];
});
await queue(other.locks).run((m) => {
  m.set({ items: ['letter'] });
  m.signal('filled');
});
assert.equal(await took, 'letter');
await queue(one.locks).run((m) => m.set({ items: [] }));

for (const { locks, end } of [one, other]) {
  await locks.close();
  await end();
}
process.stdout.write('held\n');
