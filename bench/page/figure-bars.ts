import type { TrialRecord } from '../run-record.ts';
import { type Kind, kindOf } from './kind.ts';
import { bar, line, svg, text } from './picture.ts';
import { type Ranked, ranking } from './ranking.ts';
import { rounded } from './rounded.ts';
import { fromZero, type Scale } from './scales.ts';
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
  const parts = [text(16, 24, 'b', `${story.figure}: ${story.better} is better`)];
  if (rows.some(({ summary }) => summary.rounds > 1))
    parts.push(text(WIDTH - 16, 24, 's e', 'bar: median; thin line: the middle half of the rounds'));
  let y = TOP;
  for (const row of rows) {
    const lines = wrapped(row.series.contestant, CHARACTERS);
    const height = Math.max(BAR + 8, lines.length * LINE + 6);
    parts.push(...rowParts(row, kindOf(row.series.contestant, story), lines, y + height / 2, scale));
    y += height;
  }
  return svg(`${trial.name} (${trial.engine})`, described(trial, rows), WIDTH, y + 12, parts.join('\n'));
}

function rowParts(
  { summary }: Ranked,
  kind: Kind,
  lines: readonly string[],
  middle: number,
  scale: Scale,
): string[] {
  const { lower, upper, rounds } = summary;
  const base = middle + 4.5;
  const first = base - ((lines.length - 1) * LINE) / 2;
  const loud = kind === 'ours' ? 'b t' : '';
  return [
    ...lines.map((words, at) => text(NAMES, first + at * LINE, `e ${loud}`.trim(), words)),
    bar(kind, scale(0), scale(summary.median), middle - BAR / 2, BAR),
    ...(rounds > 1 ? [line('w', scale(lower), middle, scale(upper), middle)] : []),
    text(scale(upper) + 8, base, loud, rounded(summary.median)),
  ];
}

function described({ story }: TrialRecord, rows: readonly Ranked[]): string {
  const told = rows.map(({ series, summary }) => `${series.contestant}: ${rounded(summary.median)}`);
  return `Medians of ${story.figure}; ${story.better} is better. ${told.join('; ')}.`;
}
