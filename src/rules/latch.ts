import type { Facts, Rule, Step } from '../spi/rule.ts';
import type { LatchLook, LatchVerbs } from '../spi/verbs/latch.ts';
import { nextFence } from './fence.ts';

/** A latch that counts. One that was never set is open, exactly as one that has reached zero. */
export interface LatchState {
  readonly count: number;
  /**
   * Given out when an open latch is closed, as a fence is. A counter of openings would start again when the record of an
   * open latch has gone, and a waiter from before would take the second round for its own.
   */
  readonly round?: number;
}

function countOf(state: LatchState | undefined): number {
  return state?.count ?? 0;
}

/**
 * The step to another count. Only the step that opens a closed latch wakes: setting a count lets no waiter go on, and a
 * waiter that finds the latch open does not wait. By the time a waiter looks the latch may be closed again; the round
 * tells it that this is another time.
 */
function counted<A>(
  state: LatchState | undefined,
  count: number,
  answer: A,
  facts: Facts,
): Step<LatchState, A> {
  const before = countOf(state);
  if (count === before) return { state, answer, wake: 'none' };
  const round = before === 0 ? nextFence(state?.round ?? 0, facts) : state?.round;
  return {
    state: round === undefined ? { count } : { count, round },
    answer,
    wake: before > 0 && count === 0 ? 'anyone' : 'none',
  };
}

/** The latch's rule. It has no holder and no queue: a waiter looks at the count and watches. */
export const latchRule: Rule<LatchState, LatchVerbs, LatchLook> = {
  verbs: {
    trySetCount: (state, { count }, facts) =>
      countOf(state) === 0
        ? counted(state, count, { set: true }, facts)
        : counted(state, countOf(state), { set: false }, facts),
    countDown: (state, { by }, facts) => {
      const count = Math.max(0, countOf(state) - by);
      return counted(state, count, { count }, facts);
    },
    reset: (state, { count }, facts) => counted(state, count, { count }, facts),
  },
  look: (state) => ({ count: countOf(state), round: state?.round }),
  // Absent means open. A round that the clock has passed cannot come again; a later one stays as a floor.
  spent: ({ count, round = 0 }, { now }) => {
    if (count > 0) return undefined;
    return Math.trunc(now * 1000) > round ? 0 : round;
  },
};
