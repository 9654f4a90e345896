import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from 'holdfast';
import type { RedisSynchronizers } from 'holdfast/redis';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../fixtures/redis/redis-server.ts';
import { Workplace } from './workplace.ts';

const JAVA = 'aaaaaaaa-0000-4000-8000-000000000001:1';

describeRedis('on Redis', () => {
  let server: RedisServer;
  let place: Workplace;
  let locks: RedisSynchronizers;

  beforeAll(async () => {
    server = await startRedisServer();
    place = new Workplace(server.url);
    locks = await connect(server.url as `redis${string}`);
  });

  afterAll(async () => {
    await locks.close();
    await place[Symbol.asyncDispose]();
    await server.stop();
  });

  test('what a Java program holds is shown, without a fence, and can be taken away by its owner', async () => {
    await server.command('HSET', 'invoice', JAVA, 2);
    await server.command('PEXPIRE', 'invoice', 30_000);
    const { stdout } = await place.run(['list']);
    expect(stdout).toMatch(/^lock +invoice +aaaaaaaa…:1 \(Redisson\), 2x +- +\d+s +- +0$/m);
    expect((await place.run(['inspect', 'invoice'])).stdout).toContain('(Redisson)');
    expect((await place.run(['token', 'invoice'])).code).toBe(1);
    expect((await place.run(['release', 'invoice', '-y', '--owner', 'another'])).code).toBe(75);
    expect((await place.run(['release', 'invoice', '-y', '--owner', JAVA])).code).toBe(0);
    expect(await server.command('EXISTS', 'invoice')).toBe(0);
  });

  test('a bare number is what it is said to be', async () => {
    await using hold = await locks.bareSemaphore('uploads', { permits: 3 }).acquire();
    const unknown = await place.run(['inspect', 'uploads']);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('--as semaphore')]);
    expect((await place.run(['inspect', 'uploads', '--as', 'semaphore'])).stdout).toContain('available 2');
    expect((await place.run(['inspect', 'uploads', '--as', 'latch'])).stdout).toContain('count     2');
    expect(hold.permits).toBe(1);
  });

  test('a semaphore is one thing, with those who hold its permits', async () => {
    await using hold = await locks.semaphore('seats', { permits: 3 }).acquire({ permits: 2 });
    const { stdout } = await place.run(['inspect', 'seats']);
    expect(stdout).toMatch(/^semaphore seats\n {2}held by [^]*count {3}2\n[^]*available 1 of 3\n/);
    expect(stdout).not.toContain('permit-semaphore');
    expect((await place.run(['list'])).stdout).toMatch(/^semaphore +seats +/m);
    const runs = ['run', 'seats', '--permits', '1/3', '-n', '--', 'true'];
    expect((await place.run(runs)).code).toBe(0);
    expect((await place.run(['run', 'seats', '--permits', '1/4', '-n', '--', 'true'])).code).toBe(64);
    expect(hold.permits).toBe(2);
  });

  test('a lock is one row, and its waiters are shown as clients that listen', async () => {
    const hold = await locks.lock('job').acquire();
    const waiting = place.start(['run', 'job', '--json', '--', 'true']);
    await waiting.said('"waiting"');
    await expect
      .poll(async () => (await place.run(['inspect', 'job'])).stdout, { timeout: 9_000 })
      .toMatch(
        /^lock job\n[^]* {2}next {6}unknown: the store does not know who waits\n {2}waiting {3}1 client listening; each may have many waiters\n$/,
      );
    await hold.release();
    expect((await waiting.ended).code).toBe(0);
    expect((await place.run(['wait', 'job', '-w', '5s'])).code).toBe(0);
  });

  test('a wrapper that is killed: the next one acquires when the lease is over, and not before', async () => {
    const killed = place.start(['run', 'leased', '--lease', '5s', '-c', 'echo in $$; exec sleep 60']);
    const orphan = Number((await killed.printed(/in \d+/)).slice(3));
    try {
      const startedAt = performance.now();
      killed.kill('SIGKILL');
      expect((await place.run(['run', 'leased', '-n', '--', 'true'])).code).toBe(75);
      expect((await place.run(['run', 'leased', '--', 'true'])).code).toBe(0);
      expect(performance.now() - startedAt).toBeGreaterThan(500);
      expect(process.kill(orphan, 0)).toBe(true);
    } finally {
      process.kill(orphan, 'SIGKILL');
    }
    await killed.ended;
  });
});
