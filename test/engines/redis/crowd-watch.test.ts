import { expect, test } from 'vitest';
import type { Client } from '../../../src/core/client.ts';
import { CrowdWatch } from '../../../src/engines/redis/locks/crowd-watch.ts';
import { inCrowd } from '../../../src/engines/redis/locks/in-crowd.ts';

const channels = { lock: 'channel:{a}', own: 'channel:{a}:1' };

/** A watch whose subscriptions the test confirms, and what happened in order. */
function stage() {
  const happened: string[] = [];
  const standing = new Set<string>();
  const finish = new Map<string, () => void>();
  const background: Promise<unknown>[] = [];
  const client = { background: (work: Promise<unknown>) => void background.push(work) } as unknown as Client;
  const watch = new CrowdWatch({
    client,
    channels,
    listen: (source) => {
      happened.push(`asks for ${source}`);
      return new Promise((resolve) => {
        finish.set(source, () =>
          resolve(() => {
            happened.push(`leaves ${source}`);
            standing.delete(source);
          }),
        );
      });
    },
    isConfirmed: (source) => standing.has(source),
    heard: () => void happened.push('tries'),
  });
  const settle = async (source: string, confirmed = true): Promise<void> => {
    if (confirmed) standing.add(source);
    finish.get(source)!();
    await Promise.allSettled(background);
  };
  return { watch, happened, settle, standing };
}

test('tries when it listens on the new channel, and only then leaves the old one', async () => {
  const { watch, happened, settle } = stage();
  const begun = watch.begin('lock');
  await settle(channels.lock);
  await begun;
  watch.move('own', 1000);
  watch.move('own', 2000);
  expect(watch.sinceMs, 'it waits since the first of them').toBe(1000);
  expect(happened).toEqual(['asks for channel:{a}', 'asks for channel:{a}:1']);
  await settle(channels.own);
  expect(happened.slice(2)).toEqual(['leaves channel:{a}', 'tries']);
  watch.end();
  expect(happened.at(-1)).toBe('leaves channel:{a}:1');
});

test('stays on the old channel while the new one is not confirmed', async () => {
  const { watch, happened, settle, standing } = stage();
  const begun = watch.begin('lock');
  await settle(channels.lock);
  await begun;
  watch.move('own', 1000);
  await settle(channels.own, false);
  expect(happened).not.toContain('leaves channel:{a}');
  standing.add(channels.own);
  watch.move('own', 2000);
  expect(happened.at(-1)).toBe('leaves channel:{a}');
});

test('listens on both, and on one again', async () => {
  const { watch, happened, settle } = stage();
  const begun = watch.begin('own');
  await settle(channels.own);
  await begun;
  watch.move('both', 1000);
  await settle(channels.lock);
  expect(happened).toEqual(['asks for channel:{a}:1', 'asks for channel:{a}', 'tries']);
  watch.move('own', 2000);
  expect(happened.at(-1)).toBe('leaves channel:{a}');
});

test('that ends while it moves leaves every channel and does not try', async () => {
  const { watch, happened, settle } = stage();
  const begun = watch.begin('lock');
  await settle(channels.lock);
  await begun;
  watch.move('own', 1000);
  watch.end();
  await settle(channels.own);
  expect(happened.slice(2)).toEqual(['leaves channel:{a}', 'leaves channel:{a}:1']);
});

test('of a crowd a few look once a second, and the others at times of their own', () => {
  const busy = { kind: 'busy', againInMs: 10_000 } as const;
  const again = Array.from({ length: 2000 }, (_, at) => inCrowd(busy, 2000, at / 2000).againInMs);
  expect(again.filter((ms) => ms === 1000)).toHaveLength(4);
  expect(new Set(again).size).toBe(1997);
  expect(Math.max(...again)).toBeLessThan(30_000);
  expect(
    inCrowd({ kind: 'busy', againInMs: 5 }, 3, 0.9).againInMs,
    'never later than the end of the lease',
  ).toBe(5);
});
