import type { Promised } from './trial.ts';

/**
 * That we are ahead of everybody else in a figure: of those of which more is better, or of those of which less is.
 *
 * The best of the others is the one with the best median, and the same in all rounds. The tempting alternative is the best
 * in each round: where figures spread, that is whoever was lucky, and the more others there are the luckier.
 *
 * Whoever did not bring the figure in every round is not compared: there is no p99 of two hand-overs.
 *
 * With a floor it is not our failure where that is behind them as well.
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
