import type { RunRecord, TrialRecord } from '../run-record.ts';
import { engineTitle } from './engine-title.ts';
import { inMarkdown } from './escaped.ts';
import { machineSection } from './machine-section.ts';
import { METHOD } from './method.ts';
import type { Picture } from './picture.ts';
import { summarySection } from './summary-section.ts';
import { type Section, trialSection } from './trial-section.ts';

export interface Page {
  readonly markdown: string;
  readonly pictures: readonly Picture[];
}

/** The page of one run. Nothing is on it that is not in the record. */
export function pageOf(record: RunRecord): Page {
  const summary = summarySection(record);
  const engines = [...new Set(record.trials.map(({ engine }) => engine))].map((engine) =>
    engineSection(engine, record),
  );
  const parts = [
    '<!-- Written by `npm run bench:page` from benchmarks.json: change bench/page/, not this. -->',
    '# Benchmarks',
    ...introduction(record),
    summary.markdown,
    ...engines.map(({ markdown }) => markdown),
    METHOD,
    machineSection(record),
  ];
  const pictures = [...summary.pictures, ...engines.flatMap((section) => section.pictures)];
  return { markdown: `${parts.join('\n\n')}\n`, pictures };
}

function introduction({ date, speed, machine, trials, leftOut }: RunRecord): string[] {
  const { cpu, cores, node } = machine;
  const where = `${date.slice(0, 10)} on ${cores} cores of ${inMarkdown(cpu)} with Node ${inMarkdown(node)}`;
  const again = `npm run bench -- --page${speed === 'quick' ? ' --quick' : ''}`;
  return [
    'Holdfast beside other lock libraries, and beside the least that a lock could consist of, all in the same rounds ' +
      `of one run, ${where}. The load average was ${loads(trials)}. Tables and pictures come from ` +
      '[the raw figures](benchmarks.json) of that run. Below the tables: [how it is measured](#how-it-is-measured), and ' +
      'what the figures do not say.',
    ...(speed === 'quick'
      ? [
          `> **A quick run**: few and short rounds, good enough to see a factor of two and no more.${missing(leftOut)}`,
        ]
      : []),
    ...busy(machine.cores, trials),
    `\`\`\`sh\n${again}\n\`\`\``,
  ];
}

/** The load of other programs before the run began. Later on most of the load is the run's own. */
function busy(cores: number, [first]: readonly TrialRecord[]): string[] {
  const before = first?.load[0] ?? 0;
  if (before <= cores) return [];
  return [
    `> **A busy machine**: before the first round the load average was ${before.toFixed(1)} on ${cores} cores. Where the thin ` +
      'lines are long, the figures are those of the others who used it.',
  ];
}

function missing(leftOut: RunRecord['leftOut']): string {
  if (leftOut.length === 0) return '';
  const told = leftOut.map(({ name, engine, why }) => `${inMarkdown(name)} (${engineTitle(engine)}), ${why}`);
  return ` Not measured: ${told.join('; ')}.`;
}

function loads(trials: readonly TrialRecord[]): string {
  const all = trials.flatMap(({ load }) => load);
  return all.length === 0
    ? 'not noted'
    : `between ${Math.min(...all).toFixed(1)} and ${Math.max(...all).toFixed(1)}`;
}

function engineSection(engine: string, { trials, speed }: RunRecord): Section {
  const sections = trials
    .filter((trial) => trial.engine === engine)
    .map((trial) => trialSection(trial, speed));
  return {
    markdown: [`## ${inMarkdown(engineTitle(engine))}`, ...sections.map(({ markdown }) => markdown)].join(
      '\n\n',
    ),
    pictures: sections.flatMap(({ pictures }) => pictures),
  };
}
