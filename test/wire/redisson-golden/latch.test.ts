import { expect, test } from 'vitest';
import { latchProtocol } from '../../../src/engines/redis/latch-protocol.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { goldenStage } from './golden-stage.ts';

const channelOf = (name: string) => `redisson_countdownlatch__channel__{${name}}`;

describeRedis('a latch in the layout of Redisson', () => {
  const golden = goldenStage();

  test('latch-counts', async () => {
    const { stage, name: plain } = await golden();
    const latch = latchProtocol(stage.parts);
    // The channel always has braces of its own.
    for (const name of [plain, `a{${plain}}c`]) {
      await expect(latch.trySetCount(name, { count: 2 })).resolves.toEqual({ set: true });
      await expect(stage.heard()).resolves.toEqual([[channelOf(name), '1']]);
      await expect(latch.trySetCount(name, { count: 3 })).resolves.toEqual({ set: false });
      await expect(stage.command('GET', name)).resolves.toBe('2');
      await expect(stage.ttl(name)).resolves.toBe(-1);
      await expect(latch.countDown(name, { by: 1 })).resolves.toEqual({ count: 1 });
      await expect(stage.heard()).resolves.toEqual([]);
      // Java counts too.
      await expect(stage.command('GET', name)).resolves.toBe('1');
      await expect(latch.countDown(name, { by: 1 })).resolves.toEqual({ count: 0 });
      await expect(stage.exists(name)).resolves.toBe(false);
      await expect(stage.heard()).resolves.toEqual([[channelOf(name), '0']]);
      await expect(latch.countDown(name, { by: 1 })).resolves.toEqual({ count: 0 });
      await expect(stage.exists(name)).resolves.toBe(false);
      await expect(stage.heard()).resolves.toEqual([]);
    }
  });

  test('latch-deleted', async () => {
    const { stage, name } = await golden();
    const latch = latchProtocol(stage.parts);
    await latch.trySetCount(name, { count: 2 });
    await stage.heard();
    await expect(latch.reset(name, { count: 0 })).resolves.toEqual({ count: 0 });
    await expect(stage.exists(name)).resolves.toBe(false);
    await expect(stage.heard()).resolves.toEqual([[channelOf(name), '0']]);
    await expect(latch.reset(name, { count: 0 })).resolves.toEqual({ count: 0 });
    await expect(stage.heard()).resolves.toEqual([]);
    // A new count closes the gate, as Java's does.
    await expect(latch.reset(name, { count: 4 })).resolves.toEqual({ count: 4 });
    await expect(stage.command('GET', name)).resolves.toBe('4');
    await expect(stage.heard()).resolves.toEqual([[channelOf(name), '1']]);
    // Java deletes it.
    await stage.command('DEL', name);
    await expect(latch.look(name)).resolves.toEqual({ count: 0 });
    await expect(latch.trySetCount(name, { count: 1 })).resolves.toEqual({ set: true });
  });
});
