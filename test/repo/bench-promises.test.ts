import { describe, expect, test } from 'vitest';
import { aheadOf } from '../../bench/ahead.ts';
import { processorsIn } from '../../bench/own-processors.ts';
import { promiseLine } from '../../bench/page/promise-line.ts';
import type { Figures, Promised, Trial } from '../../bench/trial.ts';
import { trials } from '../../bench/trials.ts';
import { isBroken, type Verdict, verdictLine, verdictsOf } from '../../bench/verdict.ts';

/** What became of it when each contestant had these figures in the rounds. */
function verdictOf(
  promised: Promised,
  figure: string,
  rounds: Readonly<Record<string, (number | undefined)[]>>,
): Verdict {
  const series = Object.entries(rounds).map(([contestant, values]) => ({
    contestant,
    rounds: values.map((value): Figures => (value === undefined ? {} : { [figure]: value })),
  }));
  const trial = { ...(trials[0] as Trial), promises: [promised] };
  return verdictsOf(trial, { trial: trial.name, engine: trial.engine, series, crashed: [] })[0]!;
}

function actualOf(...given: Parameters<typeof verdictOf>): number {
  return verdictOf(...given).actual;
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

  test('is measured at the same peer in all rounds, not at the luckiest of each', () => {
    const promised = aheadOf('ours', ['steady', 'lucky'], 'pairs/s', 'more');
    const rounds = { ours: [20, 20, 20], steady: [10, 10, 10], lucky: [2, 40, 2] };
    expect(actualOf(promised, 'pairs/s', rounds)).toBe(2);
  });

  test('is not measured at one who did not bring the figure in every round', () => {
    const promised = aheadOf('ours', ['slow', 'idle'], 'p99 µs', 'less');
    expect(actualOf(promised, 'p99 µs', { ours: [20, 20], slow: [40, 40], idle: [1, undefined] })).toBe(2);
    expect(() => actualOf(promised, 'p99 µs', { ours: [20], slow: [undefined], idle: [undefined] })).toThrow(
      'no other contestant has p99 µs in every round',
    );
  });

  test('needs every contestant to be measured', () => {
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
  /** Of a client that has three quarters of the best of the others, when the least that it can be made of has this. */
  function verdictBeside(floor: number): Verdict {
    const promised = aheadOf('ours', ['theirs'], 'pairs/s', 'more', { floor: 'bare' });
    return verdictOf(promised, 'pairs/s', { ours: [75], theirs: [100], bare: [floor] });
  }

  test('is broken where the floor would have kept it', () => {
    const broken = verdictBeside(101);
    expect(isBroken(broken)).toBe(true);
    expect(verdictLine(broken)).toMatch(/^FAIL .*: 0\.750 .* at least 1$/);
  });

  test('is missed where the floor does not keep it either, and is said not to be kept', () => {
    const missed = verdictBeside(90);
    expect(missed.kept).toBe(false);
    expect(isBroken(missed)).toBe(false);
    expect(verdictLine(missed)).toMatch(/^MISS .*: 0\.750 .* at least 1, out of reach: bare has 0\.900$/);
    expect(promiseLine(missed)).toMatch(/\*\*not kept\*\*, and out of reach: bare has 0\.900$/);
  });
});

test('processors are read from a list of ranges', () => {
  expect(processorsIn('0-2,5')).toEqual([0, 1, 2, 5]);
  expect(processorsIn('3')).toEqual([3]);
  expect(processorsIn('')).toEqual([]);
});
