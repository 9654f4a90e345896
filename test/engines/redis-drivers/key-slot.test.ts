import { expect, test } from 'vitest';
import { keySlot } from '../../../src/engines/redis/drivers/cluster/key-slot.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../../fixtures/redis/redis-server.ts';

const keys = [
  '',
  'a',
  '123456789',
  'holdfast:lock:orders',
  '{user1000}.following',
  '{user1000}.followers',
  'foo{}{bar}',
  'foo{{bar}}zap',
  'foo{bar}{zap}',
  '{unclosed',
  'closed}',
  '}{a}',
  '{}',
  '{ключ}:замок',
  'замок',
  '漢字{🔒}',
  'x'.repeat(512),
];

describeRedis('the slot of a key', () => {
  test('is what the server says', async () => {
    await using server = await startRedisServer({ args: { 'cluster-enabled': 'yes' } });
    for (const key of keys)
      expect([key, keySlot(key)]).toEqual([key, await server.command('CLUSTER', 'KEYSLOT', key)]);
  });
});
