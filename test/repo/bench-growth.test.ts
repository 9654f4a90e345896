import { expect, test } from 'vitest';
import { curvesOf, growthColumns, sized } from '../../bench/growth.ts';

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
