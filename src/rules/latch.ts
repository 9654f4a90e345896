import type { Rule, Step } from '../spi/rule.ts';
import type { LatchLook, LatchVerbs } from '../spi/verbs/latch.ts';

/** A latch that counts. One that nobody has set is open, exactly as one that has reached zero. */
export interface LatchState {
  readonly count: number;
}

function countOf(state: LatchState | undefined): number {
  return state?.count ?? 0;
}

/**
 * The step to another count. Only the step that opens a closed latch wakes: setting a count lets nobody in, and whoever
 * finds the latch open does not wait.
 */
function counted<A>(state: LatchState | undefined, count: number, answer: A): Step<LatchState, A> {
  const before = countOf(state);
  return {
    state: count === before ? state : { count },
    answer,
    wake: before > 0 && count === 0 ? 'anyone' : 'none',
  };
}

/** The latch's rule. Nobody holds it and nobody queues: those who wait look at the count and watch. */
export const latchRule: Rule<LatchState, LatchVerbs, LatchLook> = {
  verbs: {
    trySetCount: (state, { count }) =>
      countOf(state) === 0
        ? counted(state, count, { set: true })
        : counted(state, countOf(state), { set: false }),
    countDown: (state, { by }) => {
      const count = Math.max(0, countOf(state) - by);
      return counted(state, count, { count });
    },
    reset: (state, { count }) => counted(state, count, { count }),
  },
  look: (state) => ({ count: countOf(state) }),
  // A latch has no fences: an open one may go at once, because absent means open.
  spent: ({ count }) => (count === 0 ? 0 : undefined),
};
