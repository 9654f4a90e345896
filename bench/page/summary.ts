import type { SeriesRecord } from '../run-record.ts';
import { median, quartiles } from '../statistics.ts';

/** A number over all rounds. */
export interface Summary {
  readonly median: number;
  /** Half of the rounds lie between these. */
  readonly lower: number;
  readonly upper: number;
  readonly rounds: number;
}

/** Nothing where no round brought a value. */
export function summaryOf(values: readonly number[]): Summary | undefined {
  if (values.length === 0) return undefined;
  const [lower, upper] = quartiles(values);
  return { median: median(values), lower, upper, rounds: values.length };
}

/** The summary of one figure of one contestant. */
export function figureOf({ figures }: SeriesRecord, figure: string): Summary | undefined {
  return summaryOf((figures[figure] ?? []).filter((value) => value !== null));
}
