import { expect, test } from 'vitest';
import { durationText, expectedMs } from '../../bench/expected.ts';
import type { Trial } from '../../bench/trial.ts';

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

const two = (): string[] => ['one', 'another'];

test('what is opened for each round takes longer than what lives through all of them', () => {
  const shared = expectedMs([trial], two, 'full');

  expect(shared).toBeGreaterThan(20_000);
  expect(expectedMs([{ ...trial, alone: 'each round' }], two, 'full')).toBeGreaterThan(shared);
  expect(expectedMs([{ ...trial, openMs: 5000 }], two, 'full')).toBe(shared + 10_000);
  expect(expectedMs([trial, trial], two, 'full')).toBe(shared * 2);
  expect(expectedMs([trial], two, 'quick')).toBeLessThan(shared / 10);
});

test('a server is started once for all who are quick', () => {
  const onServer: Trial = { ...trial, engine: 'postgres' };
  const one = expectedMs([onServer], two, 'quick');
  const rounds = expectedMs([trial], two, 'quick');

  expect(one).toBeGreaterThan(rounds);
  expect(expectedMs([onServer, onServer], two, 'quick')).toBe(one + rounds);
  expect(expectedMs([onServer, onServer], two, 'full')).toBe(2 * expectedMs([onServer], two, 'full'));
});

test('a duration is shown in the unit of its wait', () => {
  expect(durationText(95_400)).toBe('95 s');
  expect(durationText(30.4 * 60_000)).toBe('30 min');
});
