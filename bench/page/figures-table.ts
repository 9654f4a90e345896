import type { SeriesRecord, TrialRecord } from '../run-record.ts';
import { advantageOf } from './advantage.ts';
import { floorFor, type Kind, kindOf } from './kind.ts';
import { ranking } from './ranking.ts';
import { figureOf, type Summary } from './summary.ts';
import { inMarkdown } from './escaped.ts';
import { markdownTable } from './markdown-table.ts';
import { rounded, times } from './rounded.ts';

/** A column of the table: what stands above it, and in the row of each contestant. */
interface TableColumn {
  readonly title: string;
  readonly cell: (series: SeriesRecord) => string;
}

/** Every contestant, the best first: medians, the spread of what is compared, and how ours stands to each. */
export function figuresTable(trial: TrialRecord): string {
  const columns = columnsOf(trial).filter(({ cell }) => trial.series.some((series) => cell(series) !== ''));
  const rows = sorted(trial).map((series) => [
    nameOf(series, trial),
    ...columns.map(({ cell }) => cell(series)),
  ]);
  return markdownTable(['', ...columns.map(({ title }) => title)], rows);
}

function columnsOf(trial: TrialRecord): TableColumn[] {
  const { story } = trial;
  const drawn = new Set(trial.curves.flatMap(({ points }) => points.map(({ figure }) => figure)));
  const others = trial.columns
    .map(({ figure }) => figure)
    .filter((figure) => figure !== story.figure && !drawn.has(figure));
  return [
    { title: inMarkdown(story.figure), cell: (series) => shown(figureOf(series, story.figure)) },
    { title: 'middle half', cell: (series) => spreadOf(figureOf(series, story.figure)) },
    { title: 'ours to it', cell: ({ contestant }) => oursTo(trial, contestant) },
    { title: 'to the floor', cell: ({ contestant }) => toItsFloor(trial, contestant) },
    ...others.map((figure) => ({
      title: inMarkdown(figure),
      cell: (series: SeriesRecord) => shown(figureOf(series, figure)),
    })),
  ];
}

const marks: Readonly<Record<Kind, string>> = { ours: '**', floor: '_', peer: '' };

function nameOf({ contestant }: SeriesRecord, { story }: TrialRecord): string {
  const mark = marks[kindOf(contestant, story)];
  return `${mark}${inMarkdown(contestant)}${mark}`;
}

function shown(summary: Summary | undefined): string {
  return summary === undefined ? '' : rounded(summary.median);
}

function spreadOf(summary: Summary | undefined): string {
  if (summary === undefined) return '';
  return summary.rounds > 1 ? `${rounded(summary.lower)} to ${rounded(summary.upper)}` : 'one round';
}

function oursTo(trial: TrialRecord, contestant: string): string {
  if (kindOf(contestant, trial.story) === 'ours') return '';
  const advantage = advantageOf(trial, trial.story.ours, contestant);
  return advantage === undefined ? '' : times(advantage.median);
}

function toItsFloor(trial: TrialRecord, contestant: string): string {
  const floor = floorFor(contestant, trial);
  if (floor === undefined || kindOf(contestant, trial.story) === 'floor') return '';
  const advantage = advantageOf(trial, contestant, floor);
  return advantage === undefined ? '' : times(advantage.median);
}

/** A contestant without the figure comes last. */
function sorted(trial: TrialRecord): SeriesRecord[] {
  const ranked = ranking(trial).map(({ series }) => series);
  return [...ranked, ...trial.series.filter((series) => !ranked.includes(series))];
}
