import { expect, test } from 'vitest';
import { pollPauseMs } from '../../../src/engines/sql/cells/poll-pause.ts';

const MIDDLE = 0.5;

test('looks again soon after a wake-up, and ever more rarely until the usual pause', () => {
  const pauses = [0, 1, 10, 60, 100, 1000, Infinity].map((quietMs) => pollPauseMs(50, quietMs, MIDDLE));
  expect(pauses).toEqual([2, 2, 5, 30, 50, 50, 50]);
});

test('a wake-up costs a dozen looks at most until the pause is the usual one again', () => {
  let looks = 0;
  for (let quietMs = 0; quietMs < 100; quietMs += pollPauseMs(50, quietMs, MIDDLE)) looks++;
  expect(looks).toBeLessThanOrEqual(12);
});

test('varies by a half, and never looks more rarely than the pause and a half', () => {
  expect(pollPauseMs(50, Infinity, 0)).toBe(25);
  expect(pollPauseMs(50, Infinity, 0.999)).toBeLessThan(75);
});
