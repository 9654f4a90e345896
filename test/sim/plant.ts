import type { Clock } from 'holdfast';
import type { Facts, Rule, Step, Verbs } from 'holdfast/engine';

type AnyRule = Rule<unknown, Verbs, unknown>;
type AnyStep = Step<unknown, unknown>;

/** What can be taken out of the library or the store, to see that the checkers notice. */
export interface Plant {
  readonly name: string;
  /** How the store runs a rule: behind `once`. */
  rule(rule: AnyRule, once: (rule: AnyRule) => AnyRule): AnyRule;
  /** The clock that the library measures with. */
  clock(clock: Clock): Clock;
}

const NOTHING: Plant = {
  name: 'none',
  rule: (rule, once) => once(rule),
  clock: (clock) => clock,
};

type Change = (step: AnyStep, state: unknown, ask: unknown, facts: Facts, verb: string) => AnyStep;

function changedRule(rule: AnyRule, change: Change): AnyRule {
  const verbs = Object.entries(rule.verbs).map(([verb, decide]) => [
    verb,
    (state: unknown, ask: unknown, facts: Facts) =>
      change(decide(state, ask as never, facts) as AnyStep, state, ask, facts, verb),
  ]);
  return { ...rule, verbs: Object.fromEntries(verbs) as AnyRule['verbs'] };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Fence off: every grant has the same one. */
function sameFence(step: AnyStep): AnyStep {
  const { answer } = step;
  return isRecord(answer) && answer['kind'] === 'granted'
    ? { ...step, answer: { ...answer, fence: 1 } }
    : step;
}

/** Renewal sets the lease instead of only lengthening it. */
function shortening(step: AnyStep, _state: unknown, ask: unknown, facts: Facts, verb: string): AnyStep {
  const { state } = step;
  if (verb !== 'renew' || !isRecord(ask) || !isRecord(state) || !isRecord(state['holder'])) return step;
  const until = facts.now + Number(ask['leaseMs']);
  return { ...step, state: { ...state, holder: { ...state['holder'], until } } };
}

/** A store that wakes nobody and a rule that forgets to say when to ask again. */
function mute(step: AnyStep): AnyStep {
  const { answer } = step;
  const busy = isRecord(answer) && 'againInMs' in answer;
  return { ...step, wake: 'none', answer: busy ? { ...answer, againInMs: 1e9 } : answer };
}

/** Every copy of a call is decided anew, whenever it comes. */
function everyCopy(rule: AnyRule): AnyRule {
  const verbs = Object.entries(rule.verbs).map(([verb, decide]) => [
    verb,
    (state: unknown, asked: unknown, facts: Facts) => {
      const step = decide(state, (asked as { ask: never }).ask, facts) as AnyStep;
      return { ...step, answer: { kind: 'done', answer: step.answer } };
    },
  ]);
  return { ...rule, verbs: Object.fromEntries(verbs) as AnyRule['verbs'] };
}

export const PLANTS: Readonly<Record<string, Plant>> = {
  none: NOTHING,
  'fence-off': { ...NOTHING, name: 'fence-off', rule: (rule, once) => once(changedRule(rule, sameFence)) },
  'deadline-off': {
    ...NOTHING,
    name: 'deadline-off',
    clock: (clock) => ({ ...clock, now: () => clock.now() * 0.2 }),
  },
  'missed-recheck': {
    ...NOTHING,
    name: 'missed-recheck',
    rule: (rule, once) => once(changedRule(rule, mute)),
  },
  'every-copy': { ...NOTHING, name: 'every-copy', rule: (rule) => everyCopy(rule) },
  'renew-shortens': {
    ...NOTHING,
    name: 'renew-shortens',
    rule: (rule, once) => once(changedRule(rule, shortening)),
  },
};
