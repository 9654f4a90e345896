import { describe, expect, test } from 'vitest';
import { aheadOf } from '../../bench/ahead.ts';
import type { Trial } from '../../bench/trial.ts';
import { trials } from '../../bench/trials.ts';

const figures: Readonly<Record<string, number>> = { ours: 20, slow: 5, fast: 10 };
const figureOf = (contestant: string): number => figures[contestant] ?? Number.NaN;

describe('ahead of the others', () => {
  test('is measured at the one of them that has most, where more is better', () => {
    expect(aheadOf('ours', ['slow', 'fast'], 'pairs/s', 'more').value(figureOf)).toBe(2);
  });

  test('is measured at the one of them that has least, where less is better', () => {
    expect(aheadOf('ours', ['slow', 'fast'], 'p50 µs', 'less').value(figureOf)).toBe(0.25);
  });

  test('needs everybody to be measured', () => {
    expect(aheadOf('ours', ['slow', 'fast'], 'pairs/s', 'more').of).toEqual(['ours', 'slow', 'fast']);
  });
});

const called = (trial: Trial): string => `${trial.name} (${trial.engine})`;

describe.each(trials.map((trial) => [called(trial), trial] as const))('%s', (_, trial) => {
  const names = trial.contestants.map(({ name }) => name);

  test('has one contestant of each name', () => {
    expect(new Set(names).size).toBe(names.length);
  });

  test('promises and is measured quickly only with those who take part', () => {
    const wanted = [...trial.promises.flatMap(({ of }) => of), ...(trial.quickly ?? [])];
    expect(wanted.filter((name) => !names.includes(name))).toEqual([]);
  });

  test('draws only figures that it shows', () => {
    const shown = new Set(trial.columns.map(({ figure }) => figure));
    const drawn = (trial.curves ?? []).flatMap(({ points }) => points.map(({ figure }) => figure));
    expect([...drawn, trial.story.figure].filter((figure) => !shown.has(figure))).toEqual([]);
  });
});

test('no two trials of an engine have the same name', () => {
  const names = trials.map(called);
  expect(new Set(names).size).toBe(names.length);
});
