// What holds and waiters cost a store and a process: `npm run bench:capacity -- redis://localhost:6379 --holds 100000 --waiters 1000`.
// The store must be empty and used by nothing else. Writes into it, and releases all that it acquired.
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createClient } from '@redis/client';
import pg from 'pg';
import { connect } from 'holdfast';

/** How many acquisitions are under way at a time. */
const AT_ONCE = 256;
/** A busy machine is slow, and that is not measured here. */
const PATIENCE_MS = 60_000;

/**
 * @typedef {object} Store what the store says about itself
 * @property {() => Promise<number>} bytes
 * @property {() => Promise<number>} requests how many it has carried out
 * @property {() => Promise<number>} connections
 * @property {() => Promise<unknown>} close
 */

/**
 * @param {string} url
 * @returns {Promise<Store>}
 */
async function redisStore(url) {
  const client = await createClient({ url }).connect();
  /** @param {string} section @param {RegExp} field */
  const info = async (section, field) => Number(field.exec(await client.info(section))?.[1] ?? 0);
  return {
    bytes: () => info('memory', /used_memory:(\d+)/),
    requests: () => info('commandstats', /cmdstat_evalsha:calls=(\d+)/),
    connections: () => info('clients', /connected_clients:(\d+)/),
    close: async () => client.destroy(),
  };
}

/**
 * @param {string} url
 * @returns {Promise<Store>}
 */
async function postgresStore(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  /** @param {string} query */
  const number = async (query) =>
    Number((await client.query({ text: query, rowMode: 'array' })).rows[0]?.[0]);
  return {
    bytes: () => number("select coalesce(pg_total_relation_size(to_regclass('holdfast_cells')), 0)"),
    requests: () => number('select xact_commit from pg_stat_database where datname = current_database()'),
    connections: () => number('select count(*) from pg_stat_activity where datname = current_database()'),
    close: () => client.end(),
  };
}

function heapUsed() {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** @param {number} count @param {(at: number) => Promise<void>} act */
async function each(count, act) {
  let next = 0;
  const turn = async () => {
    for (let at = next++; at < count; at = next++) await act(at);
  };
  await Promise.all(Array.from({ length: Math.min(count, AT_ONCE) }, turn));
}

/** @param {string} what @param {number} value @param {string} unit */
function say(what, value, unit) {
  const shown = value.toLocaleString('en', { maximumSignificantDigits: 3 });
  console.log(`${what.padEnd(44)} ${shown.padStart(12)} ${unit}`);
}

/** @param {Store} store @param {number} forMs */
async function idle(store, forMs) {
  const [requests, cpu, since] = [await store.requests(), process.cpuUsage(), performance.now()];
  await sleep(forMs);
  const [seconds, spent] = [(performance.now() - since) / 1000, process.cpuUsage(cpu)];
  say('  while nothing happens', ((await store.requests()) - requests) / seconds, 'requests/s');
  say('  and in this process', (spent.user + spent.system) / 1e4 / seconds, '% of a core');
}

/** @param {string} url @param {{ holds: number, waiters: number, idleMs: number, renewalLeaseMs: number }} how */
async function measure(url, { holds, waiters, idleMs, renewalLeaseMs }) {
  const store = await (url.startsWith('redis') ? redisStore(url) : postgresStore(url));
  const locks = await connect(url, { commandTimeoutMs: PATIENCE_MS, renewalLeaseMs });
  await locks.lock('warm-up').run(() => undefined);
  const before = { heap: heapUsed(), bytes: await store.bytes(), at: performance.now() };
  /** @type {import('holdfast').Hold[]} */
  const held = [];
  await each(holds, async (at) => void (held[at] = await locks.lock(`orders:${at}`).acquire()));
  const seconds = (performance.now() - before.at) / 1000;
  say(`${holds.toLocaleString('en')} holds, acquired`, holds / seconds, 'holds/s');
  say('  in this process', (heapUsed() - before.heap) / holds, 'bytes of each');
  say('  in the store', ((await store.bytes()) - before.bytes) / holds, 'bytes of each');
  say('  connections', await store.connections(), '(one of them is of this program)');
  await idle(store, idleMs);
  if (waiters > 0) {
    const other = await connect(url, { commandTimeoutMs: PATIENCE_MS, renewalLeaseMs });
    const stop = new AbortController();
    const then = { heap: heapUsed(), bytes: await store.bytes(), requests: await store.requests() };
    let refused = 0;
    other.on('contended', () => void refused++);
    const waiting = Array.from({ length: waiters }, (_, at) =>
      other
        .lock(`orders:${at}`)
        .acquire({ signal: stop.signal })
        .catch(() => undefined),
    );
    while (refused < waiters) await sleep(50);
    say(`${waiters.toLocaleString('en')} waiters, each for another name`, waiters, 'waiters');
    say('  to begin', ((await store.requests()) - then.requests) / waiters, 'requests of each');
    say('  in this process', (heapUsed() - then.heap) / waiters, 'bytes of each');
    say('  in the store', ((await store.bytes()) - then.bytes) / waiters, 'bytes of each');
    say('  connections', await store.connections(), '(one of them is of this program)');
    await idle(store, idleMs);
    stop.abort();
    await Promise.all(waiting);
    await other.close();
  }
  const end = performance.now();
  await locks.close();
  say('  all released by close()', (performance.now() - end) / 1000, 's');
  say(
    '  in the store after it, the last fence',
    ((await store.bytes()) - before.bytes) / holds,
    'bytes of each',
  );
  await store.close();
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    holds: { type: 'string', default: '10000' },
    waiters: { type: 'string', default: '0' },
    idle: { type: 'string', default: '30' },
    lease: { type: 'string', default: '30' },
  },
});
const [url] = positionals;
if (url === undefined)
  throw new Error(
    'npm run bench:capacity -- URL [--holds N] [--waiters N] [--idle SECONDS] [--lease SECONDS]',
  );
if (globalThis.gc === undefined) {
  const args = [
    '--expose-gc',
    '--max-old-space-size=8192',
    fileURLToPath(import.meta.url),
    ...process.argv.slice(2),
  ];
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
} else {
  await measure(url, {
    holds: Number(values.holds),
    waiters: Number(values.waiters),
    idleMs: Number(values.idle) * 1000,
    renewalLeaseMs: Number(values.lease) * 1000,
  });
}
