import { createClient } from 'redis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { redis, type RedisSynchronizers } from 'holdfast/redis';
import type { RedisOptions } from '../../../src/engines/redis/redis-options.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';

const HOUR_MS = 60 * 60 * 1000;
const RETENTION_MS = 2 * HOUR_MS;
/** A grant puts the end of a token off once in a sixteenth of the retention. */
const SPAN_MS = RETENTION_MS / 16;
const LEASE_MS = 30_000;
const token = 'redisson_lock_token:{orders}';

/** How long the server keeps the last fence of a name, and what it costs to keep it. */
describeRedis('the record of the last fence', () => {
  let server: RedisServer;
  const closing: (() => Promise<void> | void)[] = [];
  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterAll(() => server.stop());
  beforeEach(() => server.command('FLUSHALL'));
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });

  async function open(settings: Omit<RedisOptions, 'client'> = {}): Promise<RedisSynchronizers> {
    const client = createClient({ socket: { host: '127.0.0.1', port: server.port } });
    await client.on('error', () => undefined).connect();
    const locks = redis({ client, announce: false, ...settings });
    closing.push(
      () => client.destroy(),
      () => locks.close(),
    );
    return locks;
  }

  async function fenceOf(locks: RedisSynchronizers, leaseMs?: number): Promise<bigint> {
    const hold = await locks.lock('orders').acquire(leaseMs === undefined ? {} : { leaseMs });
    await hold.release();
    return hold.fence;
  }

  const keptMs = async (): Promise<number> => Number(await server.command('PTTL', token));

  /** Sets the last fence as if it had been given out so long ago, and the record as if it ended so soon. */
  async function age(sinceMs: number, leftMs: number): Promise<void> {
    const [seconds, microseconds] = (await server.command('TIME')) as [string, string];
    const nowUs = Number(seconds) * 1_000_000 + Number(microseconds);
    await server.command('SET', token, String(nowUs - sinceMs * 1000), 'PX', String(leftMs));
  }

  test('is gone two hours and a lease after the last grant: a million names a day never leave more than 50 MB', async () => {
    const locks = await open();
    await fenceOf(locks);
    const kept = await keptMs();
    expect(kept).toBeGreaterThan(RETENTION_MS);
    expect(kept).toBeLessThanOrEqual(RETENTION_MS + LEASE_MS);
    const bytes = Number(await server.command('MEMORY', 'USAGE', token));
    // The dictionaries of keys and of ends take 56 bytes a key besides what `MEMORY USAGE` counts.
    expect(((bytes + 56) * 1_000_000 * kept) / (24 * HOUR_MS)).toBeLessThan(50_000_000);
  });

  test('a warm pair asks the server for eight things in its two scripts', async () => {
    const locks = await open();
    await fenceOf(locks);
    // The end of a sixteenth is a call more.
    await age(1, RETENTION_MS);
    await server.command('CONFIG', 'RESETSTAT');
    const before = Date.now();
    await fenceOf(locks);
    const stats = await server.info('commandstats');
    const asked = Object.entries(stats)
      .map(([name, text]) => [name.replace('cmdstat_', ''), Number(/calls=(\d+)/.exec(text)?.[1])])
      .filter(([name]) => name !== 'info' && name !== 'config|resetstat');
    const crossed = Math.floor(before / SPAN_MS) !== Math.floor(Date.now() / SPAN_MS) ? 1 : 0;
    expect(Object.fromEntries(asked)).toEqual({
      evalsha: 2,
      time: 1,
      exists: 1,
      set: 1,
      hset: 1,
      pexpire: 1 + crossed,
      hdel: 1,
      publish: 1,
      zpopmin: 1,
    });
  });

  test('is put off by the first grant of each sixteenth of the retention', async () => {
    const locks = await open();
    await age(SPAN_MS, 1000);
    await fenceOf(locks);
    expect(await keptMs()).toBeGreaterThan(RETENTION_MS);
  });

  test('is put off by a grant whose lease is longer than that', async () => {
    const locks = await open();
    await age(1, SPAN_MS);
    await fenceOf(locks, 2 * SPAN_MS);
    expect(await keptMs()).toBeGreaterThan(RETENTION_MS + SPAN_MS);
  });

  test('of a fence that is ahead of the clock is put off until the clock has caught up', async () => {
    const locks = await open();
    await age(-10 * HOUR_MS, 1000);
    const before = BigInt(String(await server.command('GET', token)));
    expect(await fenceOf(locks)).toBe(before + 1n);
    expect(await keptMs()).toBeGreaterThan(11 * HOUR_MS);
  });

  test('without an end stays without one, in every sixteenth', async () => {
    const locks = await open();
    await server.command('SET', token, '7');
    await fenceOf(locks);
    await fenceOf(locks);
    expect(await keptMs()).toBe(-1);
    expect(BigInt(String(await server.command('GET', token)))).toBeGreaterThan(7n);
  });

  test('states of barriers and elections are kept for seven days: they are more than a fence', async () => {
    const locks = await open();
    const leading = await locks.election('chief').campaign();
    await leading.resign();
    const cell = Number(await server.command('PTTL', 'holdfast_election:{chief}'));
    expect(cell).toBeGreaterThan(6 * 24 * HOUR_MS);
  });
});
