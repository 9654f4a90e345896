import { commandOf } from '../command.ts';
import type { Speed, TrialRecord } from '../run-record.ts';
import { curvePlot } from './curve-plot.ts';
import { curveTable } from './curve-table.ts';
import { inMarkdown } from './escaped.ts';
import { figureBars } from './figure-bars.ts';
import { figuresTable } from './figures-table.ts';
import type { Picture } from './picture.ts';
import { promiseLine } from './promise-line.ts';
import { ranking } from './ranking.ts';
import { imageOf } from './image.ts';
import { slug } from './slug.ts';

export interface Section {
  readonly markdown: string;
  readonly pictures: readonly Picture[];
}

/** The name under which a section can be linked to, and the beginning of the names of its pictures. */
export function anchorOf({ engine, name }: TrialRecord): string {
  return `${slug(engine)}-${slug(name)}`;
}

/** What happens, a picture, the table, what was promised, and how to see it again. */
export function trialSection(trial: TrialRecord, speed: Speed): Section {
  const anchor = anchorOf(trial);
  const bars = barsOf(trial);
  const curves = trial.curves.map((curve, at) => ({ curve, picture: curveOf(trial, at) }));
  const promised = trial.verdicts.map((verdict) => `- ${promiseLine(verdict)}`);
  const markdown = [
    `<a id="${anchor}"></a>`,
    `### ${inMarkdown(trial.name)}`,
    trial.story.about,
    ...bars.map(imageOf),
    figuresTable(trial),
    ...curves.flatMap(({ curve, picture }) => [...picture.map(imageOf), curveTable(trial, curve)]),
    ...(promised.length > 0 ? [`Promised:\n\n${promised.join('\n')}`] : []),
    circumstances(trial),
    `\`\`\`sh\n${commandOf(trial, speed)}\n\`\`\``,
  ];
  return {
    markdown: markdown.join('\n\n'),
    pictures: [...bars, ...curves.flatMap(({ picture }) => picture)],
  };
}

/** One bar alone would say nothing, and what a curve goes through is drawn there. */
function barsOf(trial: TrialRecord): Picture[] {
  const onCurve = trial.curves.some(({ points }) =>
    points.some(({ figure }) => figure === trial.story.figure),
  );
  if (onCurve || ranking(trial).length < 2) return [];
  const title = `${trial.story.figure} of all: ${trial.name} (${trial.engine})`;
  return [{ file: `bench-${anchorOf(trial)}.svg`, title, svg: figureBars(trial) }];
}

function curveOf(trial: TrialRecord, at: number): Picture[] {
  const curve = trial.curves[at];
  const svg = curve && curvePlot(trial, curve);
  if (curve === undefined || svg === undefined) return [];
  return [{ file: `bench-${anchorOf(trial)}-curve-${at + 1}.svg`, title: curve.title, svg }];
}

function circumstances({ pace, load, leftOut }: TrialRecord): string {
  const { rounds, warmUpRounds, roundMs } = pace;
  const long = roundMs >= 1000 ? `${roundMs / 1000} s` : `${roundMs} ms`;
  // A round without a length is a single act.
  const each = roundMs > 0 ? ` of ${long} for each` : '';
  const warmed = warmUpRounds > 0 ? ` after ${warmUpRounds} to warm up` : '';
  const many = rounds === 1 ? 'One round' : `${rounds} rounds`;
  const missing =
    leftOut.length > 0 ? ` Not measured in this run: ${leftOut.map(inMarkdown).join('; ')}.` : '';
  const [before, after] = load.map((value) => value.toFixed(2));
  return `${many}${each}${warmed}. Load average ${before} before, ${after} after.${missing}`;
}
