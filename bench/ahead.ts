import type { Promised } from './trial.ts';

/**
 * Promises that Holdfast is ahead of every other contestant in a figure of which more is better, or of which less is.
 *
 * Compares with the contestant that has the best median, in all rounds the same one. The tempting alternative compares with
 * the best of each round: where figures spread, luck picks that one, and the more contestants there are the luckier it is.
 *
 * Leaves out a contestant without the figure in every round: there is no p99 of two hand-overs.
 *
 * A promise with a floor does not fail where the floor is behind the others as well.
 */
export function aheadOf(
  ours: string,
  others: readonly string[],
  figure: string,
  better: 'more' | 'less',
  { atLeast = 1, floor }: { readonly atLeast?: number; readonly floor?: string } = {},
): Promised {
  const valueOf =
    (whose: string): Promised['value'] =>
    (figureOf, medianOf) => {
      const sign = better === 'more' ? -1 : 1;
      const compared = others.filter((other) => !Number.isNaN(medianOf(other, figure)));
      const [best] = compared.toSorted((a, b) => sign * (medianOf(a, figure) - medianOf(b, figure)));
      if (best === undefined) throw new RangeError(`no other contestant has ${figure} in every round`);
      const [mine, theirs] = [figureOf(whose, figure), figureOf(best, figure)];
      return better === 'more' ? mine / theirs : theirs / mine;
    };
  return {
    text:
      better === 'more'
        ? `${figure}, ${ours} to the best of the others`
        : `${figure}, the best of the others to ${ours}`,
    of: [ours, ...others, ...(floor === undefined ? [] : [floor])],
    value: valueOf(ours),
    bound: { atLeast },
    over: 'median',
    ...(floor !== undefined && { floor: { name: floor, value: valueOf(floor) } }),
  };
}
