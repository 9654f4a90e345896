import { describe, expect, test } from 'vitest';
import { aheadOf } from '../../bench/ahead.ts';
import type { Promised, Trial } from '../../bench/trial.ts';
import { trials } from '../../bench/trials.ts';
import { isBroken, verdictLine, verdictsOf } from '../../bench/verdict.ts';

/** What became of it when each contestant had these figures in the rounds. */
function actualOf(promised: Promised, figure: string, rounds: Readonly<Record<string, number[]>>): number {
  const series = Object.entries(rounds).map(([contestant, values]) => ({
    contestant,
    rounds: values.map((value) => ({ [figure]: value })),
  }));
  const trial = { ...(trials[0] as Trial), promises: [promised] };
  return verdictsOf(trial, { trial: trial.name, engine: trial.engine, series })[0]?.actual ?? Number.NaN;
}

describe('ahead of the others', () => {
  test('is measured at the one of them that has most, where more is better', () => {
    const promised = aheadOf('ours', ['slow', 'fast'], 'pairs/s', 'more');
    expect(actualOf(promised, 'pairs/s', { ours: [20], slow: [5], fast: [10] })).toBe(2);
  });

  test('is measured at the one of them that has least, where less is better', () => {
    const promised = aheadOf('ours', ['slow', 'fast'], 'p50 µs', 'less');
    expect(actualOf(promised, 'p50 µs', { ours: [20], slow: [10], fast: [5] })).toBe(0.25);
  });

  test('is measured at the same one in all rounds, and not at whoever was lucky', () => {
    const promised = aheadOf('ours', ['steady', 'lucky'], 'pairs/s', 'more');
    const rounds = { ours: [20, 20, 20], steady: [10, 10, 10], lucky: [2, 40, 2] };
    expect(actualOf(promised, 'pairs/s', rounds)).toBe(2);
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

describe('a promise that is not kept', () => {
  const told = { text: 'speed', actual: 0.9, least: 0.8, most: 1, bound: { atLeast: 1 }, kept: false };

  test('is broken, and said to have failed', () => {
    expect(isBroken(told)).toBe(true);
    expect(verdictLine(told)).toBe('FAIL  speed: 0.900 (0.800 to 1.00 over the rounds), at least 1');
  });

  test('is missed where nobody could have kept it, and what shows that is said', () => {
    const missed = { ...told, outOfReach: 'the floor is behind, too' };
    expect(isBroken(missed)).toBe(false);
    expect(verdictLine(missed)).toMatch(/^MISS .* at least 1, out of reach: the floor is behind, too$/);
  });
});

test('one that is out of reach all the same is kept where it was kept', () => {
  const kept = { text: 'speed', actual: 2, least: 2, most: 2, bound: { atLeast: 1 }, kept: true };
  expect(verdictLine({ ...kept, outOfReach: 'a floor' })).toBe(
    'ok    speed: 2.00 (2.00 to 2.00 over the rounds), at least 1',
  );
});
