import type { RunRecord, TrialRecord } from '../run-record.ts';
import { advantageOf, contestOf } from './advantage.ts';
import { floorFor } from './kind.ts';
import { engineTitle } from './engine-title.ts';
import { inMarkdown } from './escaped.ts';
import { imageOf } from './image.ts';
import type { Picture } from './picture.ts';
import { promiseLine } from './promise-line.ts';
import { type RatioGroup, ratioBars, type RatioRow } from './ratio-bars.ts';
import { times } from './rounded.ts';
import { anchorOf, type Section } from './trial-section.ts';

/** Everything at one glance, and first of all what is not as it should be. */
export function summarySection({ trials }: RunRecord): Section {
  const peers = peersPicture(trials);
  const floors = floorsPicture(trials);
  const markdown = [
    '## At a glance',
    'Twice the rate and half the time are both 2 ×. To the right of 1 × Holdfast is ahead.',
    ...peers.map(imageOf),
    whereAPeerWins(trials),
    ...promisesOf(trials),
    ...(floors.length > 0 ? ['How near Holdfast comes to the least that a lock could consist of:'] : []),
    ...floors.map(imageOf),
    contentsOf(trials),
  ];
  return { markdown: markdown.join('\n\n'), pictures: [...peers, ...floors] };
}

function peersPicture(trials: readonly TrialRecord[]): Picture[] {
  const title = 'Holdfast to the fastest peer';
  const words = { title, behind: 'behind', ahead: 'ahead', others: 'the fastest peer', defeats: true };
  return picture('bench-peers.svg', words, groupsOf(trials, peerRow));
}

function floorsPicture(trials: readonly TrialRecord[]): Picture[] {
  const title = 'Holdfast to the floor';
  const words = {
    title,
    behind: 'what a lock adds',
    ahead: 'faster than the floor',
    others: 'the floor',
    defeats: false,
  };
  return picture('bench-floors.svg', words, groupsOf(trials, floorRow));
}

function picture(
  file: string,
  words: Parameters<typeof ratioBars>[0],
  groups: readonly RatioGroup[],
): Picture[] {
  return groups.length === 0 ? [] : [{ file, title: words.title, svg: ratioBars(words, groups) }];
}

function groupsOf(
  trials: readonly TrialRecord[],
  rowOf: (trial: TrialRecord) => RatioRow | undefined,
): RatioGroup[] {
  const engines = [...new Set(trials.map(({ engine }) => engine))];
  return engines
    .map((engine) => ({
      name: engineTitle(engine),
      rows: trials.filter((trial) => trial.engine === engine).flatMap((trial) => rowOf(trial) ?? []),
    }))
    .filter(({ rows }) => rows.length > 0);
}

function peerRow(trial: TrialRecord): RatioRow | undefined {
  const contest = contestOf(trial);
  return contest && { name: trial.name, to: contest.peer, ratio: contest.advantage };
}

function floorRow(trial: TrialRecord): RatioRow | undefined {
  const floor = floorFor(trial.story.ours, trial);
  const ratio = floor === undefined ? undefined : advantageOf(trial, trial.story.ours, floor);
  return floor === undefined || ratio === undefined ? undefined : { name: trial.name, to: floor, ratio };
}

function whereAPeerWins(trials: readonly TrialRecord[]): string {
  const contests = trials.flatMap((trial) => {
    const contest = contestOf(trial);
    return contest === undefined ? [] : [{ trial, contest }];
  });
  const lost = contests.filter(({ contest }) => contest.advantage.median < 1);
  const score = `Ahead of the fastest peer in ${contests.length - lost.length} of ${contests.length} scenarios.`;
  if (lost.length === 0) return score;
  const lines = lost.map(
    ({ trial, contest }) =>
      `- ${linkTo(trial)}: ${inMarkdown(contest.peer)} is ahead, Holdfast is at ${times(contest.advantage.median)}`,
  );
  return `${score} **A peer wins here:**\n\n${lines.join('\n')}`;
}

function promisesOf(trials: readonly TrialRecord[]): string[] {
  const all = trials.flatMap((trial) => trial.verdicts.map((verdict) => ({ trial, verdict })));
  const broken = all.filter(({ verdict }) => !verdict.kept);
  const score = `Of ${all.length} promises (\`npm run bench:gate\`) ${all.length - broken.length} were kept.`;
  if (all.length === 0) return [];
  if (broken.length === 0) return [score];
  const lines = broken.map(({ trial, verdict }) => `- ${linkTo(trial)}: ${promiseLine(verdict)}`);
  return [`${score} **These were not:**\n\n${lines.join('\n')}`];
}

/** A line for each engine. */
function contentsOf(trials: readonly TrialRecord[]): string {
  const engines = [...new Set(trials.map(({ engine }) => engine))];
  const lines = engines.map((engine) => {
    const links = trials
      .filter((trial) => trial.engine === engine)
      .map((trial) => `[${inMarkdown(trial.name)}](#${anchorOf(trial)})`);
    return `- ${engineTitle(engine)}: ${links.join(' · ')}`;
  });
  return `One by one, with tables:\n\n${lines.join('\n')}`;
}

function linkTo(trial: TrialRecord): string {
  return `[${engineTitle(trial.engine)}, ${inMarkdown(trial.name)}](#${anchorOf(trial)})`;
}
