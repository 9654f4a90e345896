import type { SeriesRecord, TrialRecord } from '../run-record.ts';
import { figureOf, type Summary } from './summary.ts';

export interface Ranked {
  readonly series: SeriesRecord;
  readonly summary: Summary;
}

/** All contestants with the figure of the story, the best median first. */
export function ranking({ series, story }: TrialRecord): Ranked[] {
  const sign = story.better === 'more' ? -1 : 1;
  return series
    .flatMap((each) => {
      const summary = figureOf(each, story.figure);
      return summary === undefined ? [] : [{ series: each, summary }];
    })
    .toSorted((a, b) => sign * (a.summary.median - b.summary.median));
}
