import type { Result } from './runner.ts';
import { ratio } from './statistics.ts';

export function ratesOf({ scenario, series }: Result, contestant: string): readonly number[] {
  const found = series.find((each) => each.contestant === contestant);
  if (!found) throw new RangeError(`no contestant "${contestant}" in "${scenario}"`);
  return found.rates;
}

export function ratioOf(result: Result, contestant: string, baseline: string): number {
  return ratio(ratesOf(result, contestant), ratesOf(result, baseline));
}
