import { aligned } from './aligned.ts';
import { ratioOf } from './results.ts';
import type { Result } from './runner.ts';
import { median, spread } from './statistics.ts';

const header = ['', 'pairs/s', 'spread', 'ratio'];

export function table(result: Result): string {
  const rows = result.series.map(({ contestant, rates }) => [
    contestant,
    Math.round(median(rates)).toLocaleString('en'),
    `${(spread(rates) * 100).toFixed(0)} %`,
    contestant === result.baseline ? '1 (base)' : ratioOf(result, contestant, result.baseline).toFixed(2),
  ]);
  return [`${result.scenario} (${result.engine})`, ...aligned([header, ...rows])].join('\n');
}
