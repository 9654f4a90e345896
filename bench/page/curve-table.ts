import type { TrialRecord } from '../run-record.ts';
import type { Curve } from '../trial.ts';
import { figureOf } from './summary.ts';
import { inMarkdown } from './escaped.ts';
import { markdownTable } from './markdown-table.ts';
import { rounded } from './rounded.ts';

/** The medians that a curve goes through. */
export function curveTable({ series }: TrialRecord, { points, axis }: Curve): string {
  const rows = series
    .map((each) => [
      inMarkdown(each.contestant),
      ...points.map(({ figure }) => {
        const summary = figureOf(each, figure);
        return summary === undefined ? '' : rounded(summary.median);
      }),
    ])
    .filter(([, ...cells]) => cells.some((cell) => cell !== ''));
  return markdownTable([inMarkdown(axis), ...points.map(({ at }) => at.toLocaleString('en'))], rows);
}
