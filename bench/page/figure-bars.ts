import type { TrialRecord } from '../run-record.ts';
import { kindOf } from './kind.ts';
import { bar, line, svg, text } from './picture.ts';
import { type Ranked, ranking } from './ranking.ts';
import { rounded } from './rounded.ts';
import { fromZero } from './scales.ts';
import { wrapped } from './wrapped.ts';

const WIDTH = 820;
const TOP = 42;
const NAMES = 292;
const RIGHT = WIDTH - 90;
const CHARACTERS = 38;
const BAR = 16;
const LINE = 15;

/** The figure of a trial, a bar for each contestant, the best first. */
export function figureBars(trial: TrialRecord): string {
  const { story } = trial;
  const rows = ranking(trial);
  const scale = fromZero(Math.max(...rows.map(({ summary }) => summary.upper)), NAMES + 12, RIGHT);
  const parts: string[] = [text(16, 24, 'b', `${story.figure}: ${story.better} is better`)];
  if (rows.some(({ summary }) => summary.rounds > 1))
    parts.push(text(WIDTH - 16, 24, 's e', 'bar: median; thin line: the middle half of the rounds'));
  let y = TOP;
  for (const { series, summary } of rows) {
    const kind = kindOf(series.contestant, story);
    const lines = wrapped(series.contestant, CHARACTERS);
    const height = Math.max(BAR + 8, lines.length * LINE + 6);
    const middle = y + height / 2;
    const first = middle + 4.5 - ((lines.length - 1) * LINE) / 2;
    const classes = kind === 'ours' ? 'e b t' : 'e';
    for (const [at, words] of lines.entries()) parts.push(text(NAMES, first + at * LINE, classes, words));
    parts.push(bar(kind, scale(0), scale(summary.median), middle - BAR / 2, BAR));
    if (summary.rounds > 1) parts.push(line('w', scale(summary.lower), middle, scale(summary.upper), middle));
    const end = scale(Math.max(summary.median, summary.upper)) + 8;
    parts.push(text(end, middle + 4.5, kind === 'ours' ? 'b t' : '', rounded(summary.median)));
    y += height;
  }
  return svg(`${trial.name} (${trial.engine})`, described(trial, rows), WIDTH, y + 12, parts.join('\n'));
}

function described({ story }: TrialRecord, rows: readonly Ranked[]): string {
  const told = rows.map(({ series, summary }) => `${series.contestant}: ${rounded(summary.median)}`);
  return `Medians of ${story.figure}; ${story.better} is better. ${told.join('; ')}.`;
}
