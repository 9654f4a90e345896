import { aligned } from './aligned.ts';
import { commandOf } from './command.ts';
import { median, spread } from './statistics.ts';
import type { Judged } from './measure-trials.ts';
import type { Column } from './trial.ts';
import type { TrialSeries } from './trial-runner.ts';
import { verdictLine } from './verdict.ts';

/** The medians of all contestants, how far the first figure spreads, and what became of the promises. */
export function trialTable({ trial, result, verdicts, load }: Judged): string {
  const [first, ...others] = trial.columns;
  if (first === undefined) throw new RangeError(`${trial.name} has no figures`);
  const header = ['', first.figure, 'spread', ...others.map(({ figure }) => figure)];
  const rows = result.series.map((series) => [
    series.contestant,
    cellOf(series, first),
    spreadOf(series, first),
    ...others.map((column) => cellOf(series, column)),
  ]);
  return [
    `${trial.name} (${trial.engine})`,
    ...aligned([header, ...rows]),
    ...result.crashed.map(({ contestant, why }) => `  ${contestant} crashed: ${why}`),
    ...verdicts.map((verdict) => `  ${verdictLine(verdict)}`),
    `  load average ${load.map((each) => each.toFixed(2)).join(' before, ')} after`,
    `  again: ${commandOf(trial, 'full')}`,
  ].join('\n');
}

function cellOf(series: TrialSeries, { figure, digits }: Column): string {
  const values = valuesOf(series, figure);
  if (values.length === 0) return '';
  const digitsShown = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return median(values).toLocaleString('en', digitsShown);
}

function spreadOf(series: TrialSeries, { figure }: Column): string {
  const values = valuesOf(series, figure);
  return values.length < 2 ? '' : `${(spread(values) * 100).toFixed(0)} %`;
}

/** Not every contestant has every figure. */
function valuesOf({ rounds }: TrialSeries, figure: string): number[] {
  return rounds.map((figures) => figures[figure]).filter((value) => value !== undefined);
}
