import type { Promised } from './trial.ts';

/** That we are ahead of everybody else in a figure: of those of which more is better, or of those of which less is. */
export function aheadOf(
  ours: string,
  others: readonly string[],
  figure: string,
  better: 'more' | 'less',
  atLeast = 1,
): Promised {
  return {
    text:
      better === 'more'
        ? `${figure}, ${ours} to the best of the others`
        : `${figure}, the best of the others to ${ours}`,
    of: [ours, ...others],
    value: (figureOf) => {
      const theirs = others.map((other) => figureOf(other, figure));
      return better === 'more'
        ? figureOf(ours, figure) / Math.max(...theirs)
        : Math.min(...theirs) / figureOf(ours, figure);
    },
    bound: { atLeast },
    over: 'median',
  };
}
