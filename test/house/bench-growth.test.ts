import { expect, test } from 'vitest';
import { durationText, expectedMs } from '../../bench/expected.ts';
import { curvesOf, growthColumns, sized } from '../../bench/growth.ts';
import type { Trial } from '../../bench/trial.ts';

const growth = {
  axis: 'waiters',
  sizes: [1, 100],
  columns: [
    { figure: 'sections/s', digits: 0 },
    { figure: 'p50 µs', digits: 1 },
  ],
};

test('a figure is measured, shown and drawn under one name at each size', () => {
  const names = ['sections/s at 1', 'sections/s at 100', 'p50 µs at 1', 'p50 µs at 100'];
  const measured = growth.sizes.flatMap((size) => Object.keys(sized({ 'sections/s': 1, 'p50 µs': 2 }, size)));

  expect(measured.toSorted()).toEqual(names.toSorted());
  expect(growthColumns(growth).map(({ figure }) => figure)).toEqual(names);
  expect(curvesOf(growth)).toEqual([
    {
      title: 'sections/s',
      axis: 'waiters',
      points: [
        { at: 1, figure: 'sections/s at 1' },
        { at: 100, figure: 'sections/s at 100' },
      ],
    },
    {
      title: 'p50 µs',
      axis: 'waiters',
      points: [
        { at: 1, figure: 'p50 µs at 1' },
        { at: 100, figure: 'p50 µs at 100' },
      ],
    },
  ]);
});

const trial: Trial = {
  name: 'some',
  engine: 'redis',
  contestants: [],
  columns: [],
  promises: [],
  pace: {
    full: { rounds: 9, warmUpRounds: 1, roundMs: 1000 },
    quick: { rounds: 1, warmUpRounds: 0, roundMs: 100 },
  },
  story: { about: '', figure: '', better: 'more', ours: '' },
};

test('what is opened for each round takes longer than what lives through all of them', () => {
  const shared = expectedMs(trial, 2, 'full');

  expect(shared).toBeGreaterThan(20_000);
  expect(expectedMs({ ...trial, alone: true }, 2, 'full')).toBeGreaterThan(shared);
  expect(expectedMs({ ...trial, openMs: 5000 }, 2, 'full')).toBe(shared + 10_000);
  expect(expectedMs(trial, 2, 'quick')).toBeLessThan(shared / 10);
});

test('a duration is told in the unit that one waits in', () => {
  expect(durationText(95_400)).toBe('95 s');
  expect(durationText(30.4 * 60_000)).toBe('30 min');
});
