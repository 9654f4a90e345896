import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { apart } from '../../bench/page/apart.ts';
import { contestOf } from '../../bench/page/advantage.ts';
import { floorFor } from '../../bench/page/kind.ts';
import { rounded } from '../../bench/page/rounded.ts';
import { decades, decadesAround, fromZero, logarithmic } from '../../bench/page/scales.ts';
import { wrapped } from '../../bench/page/wrapped.ts';
import { steady, trialOf } from './bench-page/record.ts';

test.each([
  [0, '0'],
  [0.00001, '0.0000'],
  [0.01234, '0.0123'],
  [0.2119, '0.212'],
  [1, '1.00'],
  [9.999, '10.0'],
  [12.34, '12.3'],
  [99.96, '100'],
  [123.4, '123'],
  [84_312, '84,300'],
  [8_016_516, '8,020,000'],
  [Number.POSITIVE_INFINITY, '∞'],
])('%d is shown as %s', (value, shown) => {
  expect(rounded(value)).toBe(shown);
});

describe('the fastest peer', () => {
  test('has the best median, and ours is compared with it within each round', () => {
    const trial = trialOf({
      'holdfast (c)': { 'pairs/s': [100, 20, 100] },
      lucky: { 'pairs/s': [10, 10, 900] },
      fast: { 'pairs/s': [50, 80, 25] },
    });
    expect(contestOf(trial)).toEqual({
      peer: 'fast',
      advantage: { median: 2, lower: 1.125, upper: 3, rounds: 3 },
    });
  });

  test('is the one with the least where less is better, and twice as good is 2 there too', () => {
    const trial = trialOf({ 'holdfast (c)': steady(5), fast: steady(10), slow: steady(40) });
    const less = { ...trial, story: { ...trial.story, better: 'less' as const } };
    expect(contestOf(less)).toMatchObject({ peer: 'fast', advantage: { median: 2 } });
  });

  test('is undefined where there is no peer, no figure, or nothing of ours', () => {
    expect(contestOf(trialOf({ 'holdfast (c)': steady(1), 'bare (c)': steady(2) }))).toBeUndefined();
    expect(contestOf(trialOf({ 'holdfast (c)': steady(1), peer: { other: [1, 2, 3] } }))).toBeUndefined();
    expect(contestOf(trialOf({ peer: steady(1) }))).toBeUndefined();
  });

  test('is not looked for in rounds that a contestant missed', () => {
    const trial = trialOf({ 'holdfast (c)': { 'pairs/s': [null, 6, 6] }, peer: { 'pairs/s': [1, null, 2] } });
    expect(contestOf(trial)).toMatchObject({ advantage: { median: 3, rounds: 1 } });
  });

  test('that did nothing at all is even with us if we did nothing either', () => {
    const trial = trialOf({ 'holdfast (c)': steady(0), peer: steady(0) });
    expect(contestOf(trial)?.advantage.median).toBe(1);
  });
});

test('the floor is the one over the same client, or else the first that was measured', () => {
  const trial = trialOf({ 'bare (c)': steady(1), 'bare (d)': steady(1) });
  const many = { ...trial, story: { ...trial.story, floors: ['bare (gone)', 'bare (c)', 'bare (d)'] } };
  expect(floorFor('holdfast (d)', many)).toBe('bare (d)');
  expect(floorFor('peer', many)).toBe('bare (c)');
  expect(floorFor('peer', trialOf({ peer: steady(1) }))).toBeUndefined();
});

describe('scales', () => {
  test('a bar begins at zero, also where there is nothing', () => {
    expect([0, 5, 10].map(fromZero(10, 100, 200))).toEqual([100, 150, 200]);
    expect(fromZero(0, 100, 200)(0)).toBe(100);
  });

  test('equal ratios are equally long, and what is outside stands on the edge', () => {
    const scale = logarithmic(0.1, 10, 0, 100);
    expect([0.1, 1, 10, 1000, 0, Number.POSITIVE_INFINITY].map(scale)).toEqual([0, 50, 100, 100, 0, 100]);
  });

  test('decades enclose all values, and are never less than one', () => {
    expect(decadesAround([3, 250, 0, Number.POSITIVE_INFINITY])).toEqual([1, 1000]);
    expect(decadesAround([10])).toEqual([10, 100]);
    expect(decadesAround([])).toEqual([1, 10]);
    expect(decades(0.1, 100, 6)).toEqual([0.1, 1, 10, 100]);
    expect(decades(0.1, 100_000, 4)).toEqual([1, 100, 10_000]);
  });
});

test('labels keep their order and their distance, within the picture', () => {
  const heights = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(heights, (wished) => {
      const placed = apart(wished, 17, 0, 400);
      const sorted = placed.toSorted((a, b) => a - b);
      expect(sorted.every((y, at) => at === 0 || y - (sorted[at - 1] ?? 0) >= 17)).toBe(true);
      expect(sorted.every((y) => y >= 0 && y <= 400)).toBe(true);
      const inOrder = (_: unknown, i: number) =>
        wished.every((other, j) => (wished[i] ?? 0) >= other || (placed[i] ?? 0) < (placed[j] ?? 0));
      expect(wished.every(inOrder)).toBe(true);
    }),
  );
});

test('long names are broken between words, and a long word stays whole', () => {
  expect(wrapped('a message handed round', 12)).toEqual(['a message', 'handed round']);
  expect(wrapped('redlock, every 5 ms', 16)).toEqual(['redlock,', 'every 5 ms']);
  expect(wrapped('incomprehensibilities', 5)).toEqual(['incomprehensibilities']);
});
