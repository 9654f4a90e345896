import { median } from './statistics.ts';
import type { FigureOf, Promised, Trial } from './trial.ts';
import type { TrialResult } from './trial-runner.ts';

/** What became of a promise. */
export interface Verdict {
  readonly text: string;
  /** The number that speaks for all rounds. */
  readonly actual: number;
  readonly least: number;
  readonly most: number;
  readonly bound: Promised['bound'];
  readonly kept: boolean;
  /** What shows it: the floor does not keep the bound either. */
  readonly outOfReach?: string;
  /** Why it is not kept: a contestant that it is made of crashed. */
  readonly crashed?: string;
}

/** All promises of a trial whose contestants took part. A promise is broken if one of them crashed. */
export function verdictsOf(trial: Trial, result: TrialResult): Verdict[] {
  const measured = new Set(result.series.map(({ contestant }) => contestant));
  const crashed = new Set(result.crashed.map(({ contestant }) => contestant));
  return trial.promises
    .filter(({ of }) => of.every((contestant) => measured.has(contestant) || crashed.has(contestant)))
    .map((promised) => {
      const missing = promised.of.find((contestant) => crashed.has(contestant));
      return missing === undefined ? verdictOf(promised, result) : brokenBy(missing, promised);
    });
}

function brokenBy(crashed: string, { text, bound }: Promised): Verdict {
  const none = Number.NaN;
  return { text, actual: none, least: none, most: none, bound, kept: false, crashed };
}

/** Whether we could have kept it and did not. */
export function isBroken({ kept, outOfReach }: Verdict): boolean {
  return !kept && outOfReach === undefined;
}

export function verdictLine(verdict: Verdict): string {
  const { text, actual, least, most, bound, kept, outOfReach, crashed } = verdict;
  if (crashed !== undefined) return `FAIL  ${text}: ${crashed} crashed`;
  const limit = 'atLeast' in bound ? `at least ${bound.atLeast}` : `at most ${bound.atMost}`;
  const range = `${shown(least)} to ${shown(most)}`;
  const missed = isBroken(verdict) ? 'FAIL' : 'MISS';
  const why = kept || outOfReach === undefined ? '' : `, out of reach: ${outOfReach}`;
  return `${kept ? 'ok  ' : missed}  ${text}: ${shown(actual)} (${range} over the rounds), ${limit}${why}`;
}

function verdictOf(promised: Promised, result: TrialResult): Verdict {
  const { text, bound, floor } = promised;
  const values = valuesOf(promised.value, result);
  const actual = speakingFor(promised, values);
  const verdict = { text, actual, least: Math.min(...values), most: Math.max(...values), bound };
  if (floor === undefined || keeps(actual, bound)) return { ...verdict, kept: keeps(actual, bound) };
  const least = speakingFor(promised, valuesOf(floor.value, result));
  const outOfReach = `${floor.name} has ${shown(least)}`;
  return { ...verdict, kept: false, ...(!keeps(least, bound) && { outOfReach }) };
}

/** The number that speaks for all rounds. */
function speakingFor({ bound, over }: Promised, values: readonly number[]): number {
  if (over === 'median') return median(values);
  return 'atLeast' in bound ? Math.min(...values) : Math.max(...values);
}

function keeps(actual: number, bound: Promised['bound']): boolean {
  return 'atLeast' in bound ? actual >= bound.atLeast : actual <= bound.atMost;
}

/** The number in each round. A ratio of two medians would compare moments at which the machine was differently busy. */
function valuesOf(value: Promised['value'], { series, trial }: TrialResult): number[] {
  const figuresOf = (contestant: string, figure: string): (number | undefined)[] => {
    const rounds = series.find((each) => each.contestant === contestant)?.rounds ?? [];
    return rounds.map(({ [figure]: found }) => found);
  };
  const medianOf: FigureOf = (contestant, figure) => {
    const found = figuresOf(contestant, figure);
    return found.every((each) => each !== undefined) ? median(found) : Number.NaN;
  };
  const rounds = series[0]?.rounds ?? [];
  return rounds.map((_, round) => {
    const figureOf: FigureOf = (contestant, figure) => {
      const found = figuresOf(contestant, figure)[round];
      if (found === undefined) throw new RangeError(`no ${figure} of ${contestant} in ${trial}`);
      return found;
    };
    return value(figureOf, medianOf);
  });
}

function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
