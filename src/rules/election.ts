import type { Json } from '../spi/json.ts';
import type { Facts, OwnerId, Rule, Step } from '../spi/rule.ts';
import type { ElectionLook, ElectionVerbs } from '../spi/verbs/election.ts';
import { lockRule, type LockState } from './lock.ts';

/** An election is a fair lock whose holder publishes a value. */
export interface ElectionState {
  readonly lock: LockState;
  /** What the last leader published; it counts only while that leader's hold stands. */
  readonly value: Json;
}

const lock = lockRule({ fair: true });

/** The lock's step as a step of the election: wakes the same waiters as the lock does. */
function followed<A>(
  state: ElectionState | undefined,
  step: Step<LockState, A>,
  value: Json = state?.value ?? null,
): Step<ElectionState, A> {
  const { state: next, answer, wake } = step;
  const same = next === undefined || (next === state?.lock && value === state.value);
  return { state: same ? state : { lock: next, value }, answer, wake };
}

/** A change that wakes every watcher: observers are in no queue. */
function announced<A>(step: Step<ElectionState, A>): Step<ElectionState, A> {
  return { ...step, wake: 'anyone' };
}

function leads(state: ElectionState, owner: OwnerId, facts: Facts): boolean {
  return lock.look(state.lock, facts).holder?.owner === owner;
}

/** The election's rule. */
export const electionRule: Rule<ElectionState, ElectionVerbs, ElectionLook> = {
  verbs: {
    acquire: (state, { value, ...ask }, facts) => {
      const step = lock.verbs.acquire(state?.lock, { ...ask, fences: 1 }, facts);
      // A repeated campaign of the leader finds its old grant and must not bring back its old value either: it may have
      // proclaimed another since.
      const isNew = step.answer.kind === 'granted' && step.state !== state?.lock;
      return isNew ? announced(followed(state, step, value)) : followed(state, step);
    },
    release: (state, ask, facts) => {
      const step = followed(state, lock.verbs.release(state?.lock, ask, facts));
      return state !== undefined && leads(state, ask.owner, facts) ? announced(step) : step;
    },
    renew: (state, ask, facts) => followed(state, lock.verbs.renew(state?.lock, ask, facts)),
    proclaim: (state, { owner, value }, facts) => {
      if (state === undefined || !leads(state, owner, facts))
        return { state, answer: { kind: 'gone' }, wake: 'none' };
      const answer = { kind: 'proclaimed' } as const;
      if (JSON.stringify(value) === JSON.stringify(state.value)) return { state, answer, wake: 'none' };
      return { state: { ...state, value }, answer, wake: 'anyone' };
    },
    force: (state, ask, facts) => {
      const step = followed(state, lock.verbs.force(state?.lock, ask, facts));
      return step.answer.kind === 'forced' ? announced(step) : step;
    },
  },
  look: (state, facts) => {
    const { holder, waiters, line } = lock.look(state?.lock, facts);
    const leader =
      state === undefined || holder === undefined ? undefined : { ...holder, value: state.value };
    return { leader, candidates: waiters, ...(line && { line }) };
  },
  spent: (state, facts) => lock.spent(state.lock, facts),
};
