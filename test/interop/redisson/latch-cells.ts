import { expect, test } from 'vitest';
import { waitFor } from '../../fixtures/wait-for.ts';
import { MS } from './redisson.ts';
import type { InteropStage } from './stage.ts';

const WAIT_MS = 200;
const LONG_MS = 20_000;

export function latchCells(stage: () => InteropStage): void {
  const channelOf = (name: string): string => `redisson_countdownlatch__channel__{${name}}`;

  test('Java sets and counts, Node awaits', async () => {
    const name = stage().newName();
    const thread = stage().thread();
    const latch = stage().locks.latch(name);
    expect(await thread.call('latch', name, 'trySetCount', 2)).toBe(true);
    expect(await latch.trySetCount(5)).toBe(false);
    expect(await latch.count()).toBe(2);
    await expect(latch.await({ timeoutMs: WAIT_MS })).rejects.toMatchObject({ code: 'ACQUIRE_TIMEOUT' });
    const opened = latch.await({ timeoutMs: LONG_MS });
    await thread.call('latch', name, 'countDown');
    expect(await latch.count()).toBe(1);
    await thread.call('latch', name, 'countDown');
    await opened;
  });

  test('Node sets and counts, Java awaits', async () => {
    const name = stage().newName();
    const thread = stage().thread();
    const latch = stage().locks.latch(name);
    expect(await latch.trySetCount(2)).toBe(true);
    expect(await thread.call('latch', name, 'trySetCount', 5)).toBe(false);
    expect(await thread.call('latch', name, 'getCount')).toBe(2);
    // Of a name of its own: on a busy machine Redisson may go on listening for long after it has given up.
    const vain = stage().newName();
    await stage().locks.latch(vain).trySetCount(1);
    expect(await thread.call('latch', vain, 'await', WAIT_MS, MS)).toBe(false);
    const waiting = await stage().javaWaits(channelOf(name), name, () => thread.call('latch', name, 'await'));
    await latch.countDown();
    await latch.countDown();
    await waiting.outcome;
    expect(await thread.call('latch', name, 'getCount')).toBe(0);
  });

  test('all who await on either side go on at once', async () => {
    const name = stage().newName();
    const latch = stage().locks.latch(name);
    await latch.trySetCount(2);
    const threads = [1, 2, 3].map(() => stage().thread());
    const ours = [1, 2, 3].map(() => latch.await({ timeoutMs: LONG_MS }));
    const theirs = threads.map((thread) => thread.call('latch', name, 'await', LONG_MS, MS));
    await latch.countDown();
    await stage().thread().call('latch', name, 'countDown');
    await Promise.all(ours);
    expect(await Promise.all(theirs)).toEqual([true, true, true]);
  });

  test('Java deletes it, and Node goes on', async () => {
    const name = stage().newName();
    const thread = stage().thread();
    const latch = stage().locks.latch(name);
    await latch.trySetCount(3);
    const opened = latch.await({ timeoutMs: LONG_MS });
    await waitFor('it is deleted', () => thread.call('latch', name, 'delete'));
    await opened;
    expect(await thread.call('latch', name, 'delete')).toBe(false);
  });

  test('Node opens it, and Java goes on', async () => {
    const name = stage().newName();
    const thread = stage().thread();
    const latch = stage().locks.latch(name);
    await latch.trySetCount(3);
    const waiting = await stage().javaWaits(channelOf(name), name, () => thread.call('latch', name, 'await'));
    await latch.reset();
    await waiting.outcome;
    expect(await thread.call('latch', name, 'getCount')).toBe(0);
  });
}
