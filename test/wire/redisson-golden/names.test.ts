import { expect, test } from 'vitest';
import { Keys } from '../../../src/engines/redis/keys.ts';
import { latchProtocol } from '../../../src/engines/redis/locks/latch-protocol.ts';
import { readWriteLockProtocol } from '../../../src/engines/redis/locks/read-write-lock-protocol.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { asking, goldenStage } from './golden-stage.ts';
import { A } from './owners.ts';

/** All names that Redisson derives from one, in the order of its documentation. */
function derived(keys: Keys, name: string): readonly string[] {
  return [
    keys.of(name),
    keys.lockChannel(name),
    keys.fairQueue(name),
    keys.fairDeadlines(name),
    keys.token(name),
    keys.readWriteChannel(name),
    keys.semaphoreChannel(name),
    keys.permitDeadlines(name),
    keys.latchChannel(name),
  ];
}

describeRedis('the names that Redisson derives', () => {
  const golden = goldenStage();

  test('have the name in braces', () => {
    expect(derived(new Keys(''), 'orders')).toEqual([
      'orders',
      'redisson_lock__channel:{orders}',
      'redisson_lock_queue:{orders}',
      'redisson_lock_timeout:{orders}',
      'redisson_lock_token:{orders}',
      'redisson_rwlock:{orders}',
      'redisson_sc:{orders}',
      '{orders}:timeout',
      'redisson_countdownlatch__channel__{orders}',
    ]);
  });

  test('have no more braces if there is one in the name, but for the channel of a latch', () => {
    expect(derived(new Keys(''), 'a{b}c')).toEqual([
      'a{b}c',
      'redisson_lock__channel:a{b}c',
      'redisson_lock_queue:a{b}c',
      'redisson_lock_timeout:a{b}c',
      'redisson_lock_token:a{b}c',
      'redisson_rwlock:a{b}c',
      'redisson_sc:a{b}c',
      'a{b}c:timeout',
      'redisson_countdownlatch__channel__{a{b}c}',
    ]);
  });

  test('are those of the name with its prefix, as its name mapper has it', () => {
    expect(derived(new Keys('shop:'), 'orders').slice(0, 2)).toEqual([
      'shop:orders',
      'redisson_lock__channel:{shop:orders}',
    ]);
  });

  test('follow the same rule inside of the scripts', async () => {
    const { stage, name } = await golden();
    const lock = readWriteLockProtocol(stage.parts);
    const tagged = `a{${name}}c`;
    await lock.acquire(tagged, asking(A, 30_000, { side: 'read' }));
    await expect(stage.keysAbout(name)).resolves.toEqual([
      tagged,
      `${tagged}:${A}:rwlock_timeout:1`,
      `holdfast_read_until:${tagged}`,
      `redisson_lock_token:${tagged}`,
    ]);
    await lock.release(tagged, { owner: A, side: 'read' });
    await expect(stage.heard()).resolves.toEqual([[`redisson_rwlock:${tagged}`, '0']]);
    await latchProtocol(stage.parts).trySetCount(tagged, { count: 1 });
    await expect(stage.heard()).resolves.toEqual([[`redisson_countdownlatch__channel__{${tagged}}`, '1']]);
  });
});
