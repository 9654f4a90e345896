import { expect, test } from 'vitest';
import { chosenOf } from '../../bench/chosen.ts';
import { runInterleaved } from '../../bench/run-interleaved.ts';

test('every contestant runs once in every round, and the warm-up is not counted', async () => {
  const performed: string[] = [];
  const counted: string[] = [];
  let draws = 0;
  const plan = { rounds: 3, warmUpRounds: 1, roundMs: 100, random: () => (draws += 0.3) % 1 };

  await runInterleaved(['slow', 'fast'], plan, async (entry, counts) => {
    performed.push(entry);
    if (counts) counted.push(entry);
  });

  const rounds = [0, 2, 4, 6].map((start) => performed.slice(start, start + 2).toSorted());
  expect(rounds).toEqual(Array.from({ length: 4 }, () => ['fast', 'slow']));
  expect(counted).toEqual(performed.slice(2));
});

test('a whole name picks out one scenario, a part of a name all that contain it', () => {
  const all = ['4 x 4 waiters', 'fair lock, 4 x 4 waiters'].flatMap((name) =>
    ['redis', 'sqlite'].map((engine) => ({ name, engine })),
  );
  expect(chosenOf(all, '4 x 4 waiters', 'redis')).toEqual([{ name: '4 x 4 waiters', engine: 'redis' }]);
  expect(chosenOf(all, '4 waiters', '')).toEqual(all);
  expect(() => chosenOf(all, 'nobody', '')).toThrow(RangeError);
});

test('"contended" picks out those in which many wait, and not the uncontended pair', () => {
  const all = ['uncontended pair', '8 waiters in one process'].map((name) => ({ name, engine: 'redis' }));
  expect(chosenOf(all, 'contended', 'redis')).toEqual([all[1]]);
  expect(chosenOf(all, 'uncontended', 'redis')).toEqual([all[0]]);
});
