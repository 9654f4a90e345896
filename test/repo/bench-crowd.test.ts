import { expect, test } from 'vitest';
import { contendedFigures, Crowd, type Time } from '../../bench/crowd.ts';
import type { Locker } from '../../bench/library.ts';

const COUNTED_MS = 150;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Goes on by a millisecond with every look at it, and with every turn of the loop while a client sleeps. */
function turningTime(): Time {
  let nowMs = 0;
  return {
    now: () => (nowMs += 1),
    sleep: async (ms) => {
      for (const until = nowMs + ms; nowMs < until; nowMs += 1) await turn();
    },
  };
}

function locker(acquire: Locker['acquire']): Locker {
  return { loop: async () => undefined, acquire, close: async () => undefined };
}

/** Lets them in one after the other. */
function inOrder(): Locker {
  let last: Promise<unknown> = Promise.resolve();
  return locker(async () => {
    const before = last;
    let free = (): void => undefined;
    last = new Promise<void>((resolve) => (free = resolve));
    await before;
    await turn();
    return async () => free();
  });
}

/** Lets in no client but the first of three, as often as it likes. */
function onlyTheFirst(): Locker {
  let calls = 0;
  return locker(async () => {
    const call = calls++;
    if (call === 1 || call === 2) await new Promise(() => undefined);
    await turn();
    return async () => undefined;
  });
}

test('sections count while the time runs, and not before or after', async () => {
  const crowd = new Crowd(inOrder(), turningTime());

  const contended = await crowd.contend('one', 3, COUNTED_MS, 50);
  await contended.over;

  expect(contended.sections).toBeGreaterThan(0);
  expect(contended.sections).toBe(contended.counts.reduce((sum, count) => sum + count, 0));
  expect(Math.max(...contended.counts) - Math.min(...contended.counts)).toBeLessThanOrEqual(1);
  // Each of those who were in time came after another client, unless it was the first of all.
  expect(contended.handOversUs.length).toBeGreaterThanOrEqual(contended.sections - 1);
  expect(crowd.sections).toBeGreaterThan(contended.sections);
});

test('the time is over for waiters that never acquired, too', async () => {
  const contended = await new Crowd(onlyTheFirst(), turningTime()).contend('one', 3, COUNTED_MS);

  expect(contended.counts.map((count) => count > 0)).toEqual([true, false, false]);
});

test('a holder that acquires its own lock again has handed it over to no other', async () => {
  const contended = await new Crowd(onlyTheFirst(), turningTime()).contend('one', 3, COUNTED_MS);

  expect(contended.sections).toBeGreaterThan(1);
  expect(contendedFigures(contended)).toMatchObject({
    'hand-over p50 µs': COUNTED_MS * 1000,
    'hand-over p99 µs': COUNTED_MS * 1000,
  });
});

test.each([
  [1, undefined],
  [99, undefined],
  [100, 99],
])('of %i hand-overs the slowest in a hundred took %s µs', (count, slowest) => {
  const handOversUs = Array.from({ length: count }, (_, at) => at);
  const figures = contendedFigures({
    sections: count,
    handOversUs,
    counts: [count],
    countedMs: COUNTED_MS,
    over: Promise.resolve(),
  });

  expect(figures['hand-over p99 µs']).toBe(slowest);
});

test('unless there is no other', async () => {
  const contended = await new Crowd(inOrder(), turningTime()).contend('one', 1, COUNTED_MS);

  expect(contended.handOversUs.length).toBe(contended.sections - 1);
});

test('a lock that fails ends the round', async () => {
  const failing = locker(() => Promise.reject(new Error('gone')));

  await expect(new Crowd(failing, turningTime()).contend('one', 2, 10_000)).rejects.toThrow('gone');
});
