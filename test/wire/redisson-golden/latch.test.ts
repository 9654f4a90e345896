import { expect, test } from 'vitest';
import { latchProtocol } from '../../../src/engines/redis/locks/latch-protocol.ts';
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

  test('a round of our own is kept beside it, and goes by itself', async () => {
    const { stage, name } = await golden();
    const latch = latchProtocol(stage.parts);
    const key = `holdfast_latch_round:{${name}}`;
    const rounds: (number | undefined)[] = [];
    const next = async (): Promise<void> => {
      const { round } = await latch.look(name);
      rounds.push(round);
      const stored = await stage.command('GET', key);
      expect(stored).toBe(round === undefined ? null : String(round));
    };
    await next();
    await latch.trySetCount(name, { count: 2 });
    await next();
    // It goes by itself an hour after the last opening or closing.
    const ttl = await stage.ttl(key);
    expect(ttl).toBeGreaterThan(3_500_000);
    expect(ttl).toBeLessThanOrEqual(3_600_000);
    await latch.countDown(name, { by: 1 });
    await latch.reset(name, { count: 3 });
    await latch.trySetCount(name, { count: 9 });
    await next();
    expect(rounds[0]).toBeUndefined();
    expect(rounds[2], 'closed all the time').toBe(rounds[1]);
    // One of us opens it, and Java closes it again.
    await latch.countDown(name, { by: 3 });
    await stage.command('SET', name, '1');
    await next();
    // Java opens it, and one of us closes it again.
    await stage.command('DEL', name);
    await latch.trySetCount(name, { count: 1 });
    await next();
    await latch.reset(name, { count: 0 });
    await latch.reset(name, { count: 1 });
    await next();
    expect(new Set(rounds).size).toBe(5);
    expect(rounds.slice(1)).toEqual(rounds.slice(1).toSorted((one, other) => one! - other!));
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
    await expect(latch.look(name)).resolves.toMatchObject({ count: 0 });
    await expect(latch.trySetCount(name, { count: 1 })).resolves.toEqual({ set: true });
  });
});
