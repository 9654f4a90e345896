import { expect, test } from 'vitest';
import type { Client } from '../../../src/core/client.ts';
import { CrowdWatch, type ListeningPlace } from '../../../src/engines/redis/locks/crowd-watch.ts';
import { inCrowd } from '../../../src/engines/redis/locks/in-crowd.ts';

const channels = { lock: 'channel:{a}', own: 'channel:{a}:1' };

/** A refusal of a waiter that has stood in the crowd since before the grant of the holder, unless `about` says otherwise. */
const told = (where: ListeningPlace, about = {}) => ({ where, stood: true, holder: 'the next', ...about });

/** A watch whose subscriptions the test confirms, and what happened in order. */
function stage() {
  const happened: string[] = [];
  const standing = new Set<string>();
  const finish = new Map<string, () => void>();
  const background: Promise<unknown>[] = [];
  const clock = { nowMs: 0, now: () => clock.nowMs };
  const client = {
    clock,
    background: (work: Promise<unknown>) => void background.push(work),
  } as unknown as Client;
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
  return { watch, happened, settle, standing, clock };
}

/** A waiter on the channel of the lock that the server has sent to a crowd: it listens on both channels since. */
async function crowding() {
  const all = stage();
  const begun = all.watch.begin('lock');
  await all.settle(channels.lock);
  await begun;
  all.watch.move(told('own', { stood: false, holder: 'the first' }), 1000);
  return all;
}

test('tries when it listens on the new channel, and only then leaves the old one', async () => {
  const { watch, happened, settle } = stage();
  const begun = watch.begin('own');
  await settle(channels.own);
  await begun;
  watch.move(told('lock'), 1000);
  watch.move(told('lock'), 2000);
  expect(happened).toEqual(['asks for channel:{a}:1', 'asks for channel:{a}']);
  await settle(channels.lock);
  expect(happened.slice(2)).toEqual(['leaves channel:{a}:1', 'tries']);
  watch.end();
  expect(happened.at(-1)).toBe('leaves channel:{a}');
});

test('stays on the channel of the lock until a holder was granted it beside the crowd', async () => {
  const { watch, happened, settle } = await crowding();
  await settle(channels.own);
  expect(happened).toEqual(['asks for channel:{a}', 'asks for channel:{a}:1', 'tries']);
  watch.move(told('own', { stood: true, holder: 'the first' }), 2000);
  expect(happened, 'the first holder saw no crowd').toHaveLength(3);
  watch.move(told('own', { stood: false, holder: 'the second' }), 3000);
  expect(happened, 'a release has woken it: perhaps there was no crowd at the second grant').toHaveLength(3);
  watch.move(told('own', { stood: true, holder: 'the second' }), 4000);
  expect(happened).toHaveLength(3);
  watch.move(told('own', { stood: true, holder: 'the third' }), 5000);
  expect(happened.at(-1)).toBe('leaves channel:{a}');
  expect(watch.sinceMs, 'it waits since the first refusal').toBe(1000);
});

test('stays on the old channel while the new one is not confirmed', async () => {
  const { watch, happened, settle, standing } = await crowding();
  await settle(channels.own, false);
  watch.move(told('own', { stood: true, holder: 'the second' }), 2000);
  expect(happened).not.toContain('leaves channel:{a}');
  standing.add(channels.own);
  watch.move(told('own', { stood: true, holder: 'the second' }), 2000);
  expect(happened.at(-1)).toBe('leaves channel:{a}');
});

test('outside of a crowd asks where to listen with few attempts, in a crowd with each', async () => {
  const { watch, settle, clock } = stage();
  const begun = watch.begin('lock');
  await settle(channels.lock);
  await begun;
  const asked = Array.from({ length: 64 }, () => watch.asksWhere());
  expect(asked.flatMap((asks, at) => (asks ? [at + 1] : []))).toEqual([16, 48]);
  clock.nowMs += 1000;
  expect([watch.asksWhere(), watch.asksWhere()], 'one after a second').toEqual([true, false]);
  watch.move(told('own'), 1000);
  expect([watch.asksWhere(), watch.asksWhere()]).toEqual([true, true]);
});

test('listens on both, and on one again', async () => {
  const { watch, happened, settle } = stage();
  const begun = watch.begin('own');
  await settle(channels.own);
  await begun;
  watch.move(told('both'), 1000);
  await settle(channels.lock);
  expect(happened).toEqual(['asks for channel:{a}:1', 'asks for channel:{a}', 'tries']);
  watch.move(told('own', { stood: false, holder: 'the first' }), 2000);
  watch.move(told('own', { stood: true, holder: 'the second' }), 3000);
  expect(happened.at(-1)).toBe('leaves channel:{a}');
});

test('that came first into a crowd leaves the channel of the lock under the next holder', async () => {
  const { watch, happened, settle } = stage();
  const begun = watch.begin('own');
  await settle(channels.own);
  await begun;
  watch.move(told('both', { stood: false, holder: 'the first' }), 1000);
  await settle(channels.lock);
  watch.move(told('own', { stood: true, holder: 'the second' }), 2000);
  expect(happened.at(-1)).toBe('leaves channel:{a}');
});

test('that ends while it moves leaves every channel and does not try', async () => {
  const { watch, happened, settle } = await crowding();
  watch.end();
  await settle(channels.own);
  expect(happened.slice(2)).toEqual(['leaves channel:{a}', 'leaves channel:{a}:1']);
});

test('of a crowd a few look once a second, and the others at times of their own', () => {
  const busy = { kind: 'busy', againInMs: 10_000 } as const;
  const again = Array.from({ length: 2000 }, (_, at) => inCrowd(busy, 2000, at / 2000).againInMs);
  // Forty of those who draw, because a lookout draws again ten times as soon as the others do.
  expect(again.filter((ms) => ms === 1000)).toHaveLength(40);
  expect(new Set(again).size).toBe(1961);
  expect(Math.max(...again)).toBeLessThan(30_000);
  const few = Array.from({ length: 600 }, (_, at) => inCrowd(busy, 24, at / 600).againInMs);
  expect(
    few.filter((ms) => ms === 1000),
    'of 24 two thirds of those who draw',
  ).toHaveLength(400);
  expect(
    inCrowd({ kind: 'busy', againInMs: 5 }, 3, 0.9).againInMs,
    'never later than the end of the lease',
  ).toBe(5);
});
