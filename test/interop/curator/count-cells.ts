import { expect, test } from 'vitest';
import { waitFor } from '../../fixtures/wait-for.ts';
import type { CuratorStage } from './stage.ts';

const LONG_MS = 20_000;
const WAIT_MS = 1500;

/** Our latch and Java's SharedCount are one node. */
export function countCells(stage: () => CuratorStage): void {
  test('Java sets and lowers a SharedCount, Node awaits it as a latch', async () => {
    const path = stage().newPath();
    const named = { path, seed: 2 };
    const thread = stage().thread();
    const latch = stage().locks.latch(path);
    await thread.call('sharedCount', named, 'start');
    expect(await latch.count()).toBe(2);
    expect(await latch.trySetCount(5)).toBe(false);
    await expect(latch.await({ timeoutMs: WAIT_MS })).rejects.toMatchObject({ code: 'ACQUIRE_TIMEOUT' });
    const opened = latch.await({ timeoutMs: LONG_MS });
    await thread.call('sharedCount', named, 'setCount', 1);
    await waitFor('Node sees it', async () => (await latch.count()) === 1);
    expect(await thread.call('sharedCount', named, 'trySetCount', 0)).toBe(true);
    await opened;
    await thread.call('sharedCount', named, 'close');
  });

  test('Node sets and counts down a latch, Java sees every value as a SharedCount', async () => {
    const path = stage().newPath();
    const named = { path, seed: 9 };
    const thread = stage().thread();
    const latch = stage().locks.latch(path);
    expect(await latch.trySetCount(3)).toBe(true);
    await stage().catchUp();
    await thread.call('sharedCount', named, 'start');
    expect(await thread.call('sharedCount', named, 'getCount')).toBe(3);
    for (const left of [2, 1, 0]) {
      expect(await latch.countDown()).toBe(left);
      await waitFor('Java hears it', async () => {
        return ((await thread.call('sharedCount', named, 'heard')) as number[]).includes(left);
      });
    }
    expect(await thread.call('sharedCount', named, 'getCount')).toBe(0);
    await thread.call('sharedCount', named, 'close');
  });

  test('of both sides that lower it at once none is lost', async () => {
    const path = stage().newPath();
    const named = { path, seed: 40 };
    const thread = stage().thread();
    const latch = stage().locks.latch(path);
    await thread.call('sharedCount', named, 'start');
    const ofJava = async (): Promise<void> => {
      for (let done = 0; done < 20;) {
        // Compares the version: false if Node was faster, and the watch brings the new value.
        if ((await thread.call('sharedCount', named, 'tryLower')) === true) done += 1;
      }
    };
    const ofNode = async (): Promise<void> => {
      for (let done = 0; done < 20; done += 1) await latch.countDown();
    };
    await Promise.all([ofJava(), ofNode()]);
    expect(await latch.count()).toBe(0);
    await thread.call('sharedCount', named, 'close');
  });
}
