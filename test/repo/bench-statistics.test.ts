import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { median, ratio, spread } from '../../bench/statistics.ts';

const rates = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 20 });

describe('median', () => {
  test.each([
    [[5], 5],
    [[3, 1, 2], 2],
    [[10, 9, 1, 2], 5.5],
  ])('of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  test('of nothing is refused', () => {
    expect(() => median([])).toThrow(RangeError);
  });

  test('does not depend on the order, and has as many values above as below', () => {
    fc.assert(
      fc.property(rates, (values) => {
        const middle = median(values);
        expect(median(values.toReversed())).toBe(middle);
        expect(values.filter((value) => value < middle).length).toBeLessThanOrEqual(values.length / 2);
        expect(values.filter((value) => value > middle).length).toBeLessThanOrEqual(values.length / 2);
      }),
    );
  });
});

test('spread is the width of the values as a part of their median', () => {
  expect(spread([90, 100, 120])).toBeCloseTo(0.3);
  expect(spread([7, 7, 7])).toBe(0);
});

describe('ratio', () => {
  test('is formed within each round before the median is taken', () => {
    const ours = [200, 20, 2];
    const theirs = [100, 10, 8];
    expect(ratio(ours, theirs)).toBe(2);
  });

  test('is not moved by a machine that slows down for all', () => {
    fc.assert(
      fc.property(rates, (values) => {
        const theirs = values.map((value) => value / 2);
        expect(ratio(values, theirs)).toBe(2);
      }),
    );
  });

  test('of different numbers of rounds is refused', () => {
    expect(() => ratio([1], [1, 2])).toThrow(RangeError);
  });
});
