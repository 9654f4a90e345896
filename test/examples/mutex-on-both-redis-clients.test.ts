import { expect, test } from 'vitest';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../fixtures/redis/redis-server.ts';
import { startExample } from './start-example.ts';

describeRedis('one mutex on both Redis clients', () => {
  test('a process with ioredis and one with node-redis lose no addition', async () => {
    await using server = await startRedisServer();
    const env = { HOLDFAST_URL: server.url };
    const clients = ['ioredis', 'node-redis'];
    const ends = await Promise.all(
      clients.map((client) => startExample('mutex-on-both-redis-clients', [client, '50'], env).ended),
    );
    expect(ends.map(({ code, stdout, stderr }) => ({ code, stdout, stderr }))).toEqual(
      clients.map((client) => ({ code: 0, stdout: `${client}: added 50\n`, stderr: '' })),
    );
    expect(await server.command('GET', 'counter')).toBe('100');
  });
});
