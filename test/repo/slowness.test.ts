import { expect, test } from 'vitest';
import { slownessAt } from '../engines/slowness.ts';

test('the units of the suites are whole milliseconds at every load', () => {
  const unitsMs = [40, 80, 700, 800, 2000, 4000];
  const fractions: string[] = [];
  for (let load = 0; load <= 20; load += 0.01) {
    for (const unitMs of unitsMs) {
      const ms = unitMs * slownessAt(Number(load.toFixed(2)), 2);
      if (!Number.isInteger(ms)) fractions.push(`${unitMs} ms at a load of ${load}: ${ms}`);
    }
  }
  expect(fractions).toEqual([]);
});

test('a quiet machine has the usual units, a busy one at most twice those', () => {
  expect([0, 4, 4.07, 6, 8, 100].map((load) => slownessAt(load, 2))).toEqual([1, 1, 1.25, 1.5, 2, 2]);
});
