import type { TrialRecord } from '../run-record.ts';
import type { Story } from '../story.ts';
import { kindOf } from './kind.ts';
import { ranking } from './ranking.ts';
import { type Summary, summaryOf } from './summary.ts';

type Values = readonly (number | null)[];

/**
 * How many times as good the first is as the second, by the figure of the story: twice the rate and half of the time are
 * both 2. Formed within each round, because the machine is differently busy in the next.
 */
export function advantageOf(trial: TrialRecord, first: string, second: string): Summary | undefined {
  return summaryOf(ratios(valuesOf(trial, first), valuesOf(trial, second), trial.story.better));
}

/** Against the best of all peers. */
export interface Contest {
  readonly peer: string;
  readonly advantage: Summary;
}

/**
 * Nothing where we have no peer, or were not measured. The best peer is the one with the best median, and the same in all
 * rounds: the best of each single round is best by luck, the more so the more peers there are.
 */
export function contestOf(trial: TrialRecord): Contest | undefined {
  const best = ranking(trial).find(({ series }) => kindOf(series.contestant, trial.story) === 'peer');
  const peer = best?.series.contestant;
  const advantage = peer === undefined ? undefined : advantageOf(trial, trial.story.ours, peer);
  return peer === undefined || advantage === undefined ? undefined : { peer, advantage };
}

function valuesOf({ series, story }: TrialRecord, contestant: string): Values {
  return series.find((each) => each.contestant === contestant)?.figures[story.figure] ?? [];
}

/** Of the rounds in which both have a value. Nothing beside nothing is even. */
function ratios(ours: Values, others: Values, better: Story['better']): number[] {
  return ours.flatMap((value, round) => {
    const other = others[round] ?? null;
    if (value === null || other === null) return [];
    if (value === other) return [1];
    return [better === 'more' ? value / other : other / value];
  });
}
