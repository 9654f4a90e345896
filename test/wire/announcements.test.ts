import { hostname } from 'node:os';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { RedisSettings, RedisSynchronizers } from '../../src/engines/redis/index.ts';
import { leastPrivilege } from '../faults/redis/least-privilege.ts';
import { openLocks } from '../faults/redis/open-locks.ts';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../fixtures/redis/redis-server.ts';
import { waitFor } from '../fixtures/wait-for.ts';

const JAVA = 'aaaaaaaa-0000-4000-8000-000000000000:1';
const HOUR_MS = 3_600_000;

interface Credentials {
  readonly username?: string;
  readonly password?: string;
}

describeRedis('what clients announce on Redis', () => {
  let server: RedisServer;
  const opened: RedisSynchronizers[] = [];

  async function open(settings: RedisSettings = {}, user: Credentials = {}): Promise<RedisSynchronizers> {
    const locks = await openLocks('ioredis', { port: server.port, ...user }, settings);
    opened.push(locks);
    return locks;
  }

  async function keys(pattern: string): Promise<readonly string[]> {
    return (await server.command('KEYS', pattern)) as readonly string[];
  }

  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterEach(async () => {
    for (const locks of opened.splice(0)) await locks.close();
    await server.command('FLUSHALL');
  });
  afterAll(() => server.stop());

  test('is one key for each client, under the prefix, which ends with the client or after an hour', async () => {
    const locks = await open({ keyPrefix: 'app:', name: 'web' });
    const hold = await locks.lock('a').acquire();
    const owner = (await locks.lock('a').holder())!.owner;
    const key = `holdfast_client:{app:${owner.slice(0, 16)}}`;
    await waitFor('it is announced', async () => (await keys('holdfast_client*')).length > 0);
    expect(await keys('holdfast_client*')).toEqual([key]);
    const said = JSON.parse(String(await server.command('GET', key))) as object;
    expect(said).toMatchObject({ host: hostname(), pid: process.pid, name: 'web' });
    const ttlMs = Number(await server.command('PTTL', key));
    expect(ttlMs > 0 && ttlMs <= HOUR_MS).toBe(true);
    const seen = [];
    for await (const { kind, name } of locks.inspector.list()) seen.push(`${kind} ${name}`);
    expect(seen, 'no list shows it').toEqual(['lock a']);
    await hold.release();
    await locks.close();
    expect(await keys('holdfast_client*')).toEqual([]);
  });

  test('names the holder of a permit, whose id has no room for the whole client', async () => {
    const [one, other] = [await open({ name: 'uploader' }), await open()];
    await one.semaphore('seats', { permits: 2 }).acquire({ permits: 2 });
    const holders = async () => (await other.inspector.describe('semaphore', 'seats'))!.holders;
    await waitFor('it is announced', async () => (await holders())[0]?.client !== undefined);
    expect(await holders()).toMatchObject([{ client: { name: 'uploader' }, count: 2, program: 'holdfast' }]);
  });

  test('is not missed by a user that may not write it: it locks, and hears of no trouble', async () => {
    const rules = leastPrivilege('app:').filter((word) => !word.startsWith('~holdfast_client'));
    await server.command('ACL', 'SETUSER', 'worker', 'on', '>secret', ...rules);
    const worker = await open({ keyPrefix: 'app:' }, { username: 'worker', password: 'secret' });
    const troubles: unknown[] = [];
    worker.on('trouble', ({ error }) => troubles.push(error));
    const hold = await worker.lock('a').acquire();
    const refusals = async () => JSON.stringify(await server.command('ACL', 'LOG'));
    await waitFor('it was refused', async () => (await refusals()).includes('holdfast_client'));
    const other = await open({ keyPrefix: 'app:' });
    expect(await other.lock('a').holder()).toMatchObject({ fence: hold.fence, program: 'holdfast' });
    expect(await worker.lock('a').holder()).toMatchObject({ inThisProcess: true });
    await hold.release();
    await worker.close();
    expect(troubles).toEqual([]);
  });

  test('is not believed if it is something else', async () => {
    const [one, other] = [await open({ announce: false }), await open()];
    const hold = await one.lock('a').acquire();
    const { owner } = (await other.lock('a').holder())!;
    for (const text of ['', 'nonsense', 'null', '{"host":1}', '[]']) {
      await server.command('SET', `holdfast_client:{${owner.slice(0, 16)}}`, text);
      const fresh = await open();
      expect(await fresh.lock('a').holder()).toMatchObject({ owner, fence: hold.fence });
      expect((await fresh.lock('a').holder())?.client).toBe(undefined);
    }
  });

  test('a time-out behind Redisson names it, and an age only of a hold of ours', async () => {
    const locks = await open();
    await server.command('HSET', 'java', JAVA, 1);
    await server.command('PEXPIRE', 'java', 60_000);
    await server.command('SET', 'redisson_lock_token:{java}', Date.now() * 1000);
    let message = '';
    await waitFor('the store said who', async () => {
      const error = (await locks
        .lock('java')
        .acquire({ timeoutMs: 0 })
        .catch((one: unknown) => one)) as Error;
      ({ message } = error);
      return message.includes('held by');
    });
    expect(message).toBe(
      'lock "java" was not acquired within 0 ms: held by aaaaaaaa…:1 (Redisson). Nothing was acquired; try again, or wait longer.',
    );
    expect(await locks.lock('java').holder()).toMatchObject({ owner: JAVA, program: 'redisson' });
    expect(await locks.lock('java').holder()).not.toHaveProperty('heldForMs');
  });
});
