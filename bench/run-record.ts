import type { Pace } from './run-interleaved.ts';
import type { Machine } from './machine.ts';
import type { Judged } from './measure-trials.ts';
import { significant } from './significant.ts';
import type { Story } from './story.ts';
import type { Column, Curve, Figures, Trial } from './trial.ts';
import type { Verdict } from './verdict.ts';
import type { Versions } from './versions.ts';

export type Speed = 'full' | 'quick';

/** All that one run of the benchmarks brought: what `--json` writes, and all that the page is made of. */
export interface RunRecord {
  readonly date: string;
  readonly speed: Speed;
  readonly machine: Machine;
  readonly versions: Versions;
  /** What such a run does not measure. */
  readonly leftOut: readonly { readonly name: string; readonly engine: string; readonly why: string }[];
  readonly trials: readonly TrialRecord[];
}

export interface TrialRecord {
  readonly name: string;
  readonly engine: string;
  readonly story: Story;
  readonly columns: readonly Column[];
  readonly curves: readonly Curve[];
  readonly pace: Pace;
  readonly load: readonly [before: number, after: number];
  readonly verdicts: readonly Verdict[];
  readonly series: readonly SeriesRecord[];
  /** Contestants that such a run does not measure. */
  readonly leftOut: readonly string[];
}

export interface SeriesRecord {
  readonly contestant: string;
  /** By name, a number for each round; null where a round brought none. */
  readonly figures: Readonly<Record<string, readonly (number | null)[]>>;
}

/** More digits than any of these measurements has. */
const DIGITS = 5;

export function trialRecord({ trial, result, verdicts, load }: Judged, speed: Speed): TrialRecord {
  const { name, engine, story, columns, curves = [], contestants } = trial;
  const measured = new Set(result.series.map(({ contestant }) => contestant));
  return {
    name,
    engine,
    story,
    columns,
    curves,
    pace: paceOf(trial, speed),
    load,
    verdicts: verdicts.map(shortened),
    series: result.series.map(({ contestant, rounds }) => ({ contestant, figures: listsOf(rounds) })),
    leftOut: contestants.map((each) => each.name).filter((each) => !measured.has(each)),
  };
}

function paceOf({ pace }: Trial, speed: Speed): Pace {
  const { rounds, warmUpRounds, roundMs } = pace[speed];
  return { rounds, warmUpRounds, roundMs };
}

function shortened(verdict: Verdict): Verdict {
  const { actual, least, most } = verdict;
  return {
    ...verdict,
    actual: significant(actual, DIGITS),
    least: significant(least, DIGITS),
    most: significant(most, DIGITS),
  };
}

/** A list for each figure and not an object for each round: its name is then written once. */
function listsOf(rounds: readonly Figures[]): Record<string, (number | null)[]> {
  const names = new Set(rounds.flatMap((figures) => Object.keys(figures)));
  return Object.fromEntries(
    [...names].map((name) => [name, rounds.map((figures) => valueOf(figures[name]))]),
  );
}

/** JSON has no words for what is not a number. */
function valueOf(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? significant(value, DIGITS) : null;
}
