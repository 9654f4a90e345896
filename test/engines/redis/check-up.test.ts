import { expect, test } from 'vitest';
import { checkUp } from '../../../src/engines/redis/diagnostics/check-up.ts';
import { startOlderRedis } from '../../fixtures/redis/older-redis.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../../fixtures/redis/redis-server.ts';

async function versionOf(url: string): Promise<unknown> {
  for await (const finding of checkUp(url)) if (finding.about === 'version') return finding;
  return undefined;
}

describeRedis('the check-up of a Redis', () => {
  test('takes version 7, and none that is older', async () => {
    await using server = await startRedisServer();
    await using older = await startOlderRedis(server);
    expect(await versionOf(`redis://127.0.0.1:${server.port}`)).toMatchObject({ level: 'good' });
    expect(await versionOf(older.url)).toMatchObject({
      level: 'bad',
      found: expect.stringContaining('Redis 6'),
      advice: expect.stringContaining('7.0 or newer'),
    });
  });
});
