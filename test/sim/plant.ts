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
      change(decide(state, ask as never, facts), state, ask, facts, verb),
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

/** A release ends the hold, however long it was to last. */
function ending(step: AnyStep, _state: unknown, _ask: unknown, _facts: Facts, verb: string): AnyStep {
  const { state } = step;
  if (verb !== 'release' || !isRecord(state) || !isRecord(state['holder'])) return step;
  return { ...step, state: { ...state, holder: null } };
}

/** A store that wakes no client and a rule that forgets to say when to ask again. */
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
      const step = decide(state, (asked as { ask: never }).ask, facts);
      return { ...step, answer: { kind: 'done', answer: step.answer } };
    },
  ]);
  return { ...rule, verbs: Object.fromEntries(verbs) as AnyRule['verbs'] };
}

/** Copies are distinguished while their entry is there, but nothing is too late and nothing is remembered. */
function forgetful(rule: AnyRule): AnyRule {
  const verbs = Object.entries(rule.verbs).map(([verb, decide]) => [
    verb,
    (state: unknown, asked: unknown, facts: Facts) => {
      const { request, ask } = asked as { request: object; ask: unknown };
      const memory = isRecord(state) ? { ...state, clients: [] } : undefined;
      return decide(memory, { request: { ...request, notAfter: Number.MAX_SAFE_INTEGER }, ask }, facts);
    },
  ]);
  return { ...rule, verbs: Object.fromEntries(verbs) as AnyRule['verbs'] };
}

/** The client that asks for a fair lock that is free gets it, whichever stands in front. */
function pushy(rule: AnyRule): AnyRule {
  return onAcquire(rule, (acquire, state, ask, facts) => {
    if (!isRecord(state) || !Array.isArray(state['queue'])) return acquire(state, ask, facts);
    const queue = state['queue'].filter(
      (ticket) => !isRecord(ticket) || ticket['owner'] !== (ask as Record<string, unknown>)['owner'],
    );
    const step = acquire({ ...state, queue: [] }, ask, facts);
    const granted = isRecord(step.answer) && step.answer['kind'] === 'granted' && isRecord(step.state);
    return granted ? { ...step, state: { ...(step.state as object), queue } } : acquire(state, ask, facts);
  });
}

/** One holder of permits is not counted. */
function generous(rule: AnyRule): AnyRule {
  return onAcquire(rule, (acquire, state, ask, facts) => {
    if (!isRecord(state) || !Array.isArray(state['holders'])) return acquire(state, ask, facts);
    const [first, ...holders] = state['holders'] as readonly unknown[];
    const step = acquire({ ...state, holders }, ask, facts);
    if (first === undefined || !isRecord(step.state)) return step;
    return { ...step, state: { ...step.state, holders: [first, ...(step.state['holders'] as unknown[])] } };
  });
}

type Acquire = (state: unknown, ask: unknown, facts: Facts) => AnyStep;

function onAcquire(
  rule: AnyRule,
  instead: (acquire: Acquire, state: unknown, ask: unknown, facts: Facts) => AnyStep,
): AnyRule {
  const { acquire } = rule.verbs as unknown as Record<string, Acquire>;
  if (acquire === undefined) return rule;
  const changed: Acquire = (state, ask, facts) => instead(acquire, state, ask, facts);
  return { ...rule, verbs: { ...rule.verbs, acquire: changed } };
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
  'release-ends': {
    ...NOTHING,
    name: 'release-ends',
    rule: (rule, once) => once(changedRule(rule, ending)),
  },
  'late-copies': { ...NOTHING, name: 'late-copies', rule: (rule, once) => forgetful(once(rule)) },
  overtaking: { ...NOTHING, name: 'overtaking', rule: (rule, once) => once(pushy(rule)) },
  'one-too-many': { ...NOTHING, name: 'one-too-many', rule: (rule, once) => once(generous(rule)) },
};
