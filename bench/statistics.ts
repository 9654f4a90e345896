export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new RangeError('the median of nothing');
  return (lower + upper) / 2;
}

/** How far the values lie apart, as a part of their median: 0.1 is ten per cent. */
export function spread(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / median(values);
}

/**
 * The ratio of two contestants: formed within each round, then the median over the rounds. A ratio of two medians
 * would compare moments at which the machine was differently busy.
 */
export function ratio(values: readonly number[], baseline: readonly number[]): number {
  if (values.length !== baseline.length) throw new RangeError('ratios need the same rounds on both sides');
  return median(values.map((value, round) => value / (baseline[round] ?? Number.NaN)));
}

/** Half of the values lie between these two. */
export function quartiles(values: readonly number[]): readonly [lower: number, upper: number] {
  const sorted = values.toSorted((a, b) => a - b);
  return [between(sorted, 0.25), between(sorted, 0.75)];
}

/** Between two of the sorted values, where the part does not fall on one of them. */
function between(sorted: readonly number[], part: number): number {
  const place = (sorted.length - 1) * part;
  const lower = sorted[Math.floor(place)];
  const upper = sorted[Math.ceil(place)];
  if (lower === undefined || upper === undefined) throw new RangeError('a quartile of nothing');
  return lower + (upper - lower) * (place - Math.floor(place));
}

/** The value that this part of all values does not exceed. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = Float64Array.from(values).toSorted();
  const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  if (found === undefined) throw new RangeError('a percentile of nothing');
  return found;
}
