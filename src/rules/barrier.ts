import type { Facts, OwnerId, Rule, Wake } from '../spi/rule.ts';
import type { Arrived, BarrierLook, BarrierVerbs, BreakReason } from '../spi/verbs/barrier.ts';
import { endsInMs, type Leased, stands } from './lease.ts';
import { lined, placesOf, soonestInMs, waitingOf } from './queue.ts';

type PartyDecision = Extract<Arrived, { kind: 'tripped' | 'broken' }>;

interface Party extends Leased {
  readonly interestMs: number;
}

/** How it went for one party, kept until it has had time to ask. */
interface PartyOutcome extends Leased {
  readonly answer: PartyDecision;
}

/**
 * A cyclic barrier. What became of a generation is written down for each of its parties. To let them conclude it from
 * the number of the current generation would do while barriers never break; then a slow party cannot tell a generation
 * that tripped from one that was reset.
 */
export interface BarrierState {
  readonly parties: number;
  readonly generation: number;
  /** As in Java, a broken barrier stays broken until it is reset: parties that come late must learn of it. */
  readonly broken: BreakReason | null;
  /** In the order of arrival. Empty while it is broken. */
  readonly arrived: readonly Party[];
  readonly outcomes: readonly PartyOutcome[];
}

/** Ends the wait of all who have arrived. */
function decided(state: BarrierState, answer: (place: number) => PartyDecision, facts: Facts): BarrierState {
  const outcomes = state.arrived.map(({ owner, interestMs }, place) => ({
    owner,
    until: facts.now + interestMs,
    answer: answer(place),
  }));
  return { ...state, arrived: [], outcomes: [...state.outcomes, ...outcomes] };
}

function broken(state: BarrierState, reason: BreakReason, facts: Facts): BarrierState {
  const { generation } = state;
  return { ...decided(state, () => ({ kind: 'broken', generation, reason }), facts), broken: reason };
}

function tripped(state: BarrierState, facts: Facts): BarrierState {
  const { parties, generation } = state;
  const after = decided(
    state,
    (place) => ({ kind: 'tripped', generation, index: parties - 1 - place }),
    facts,
  );
  return { ...after, generation: generation + 1 };
}

/** The barrier as it is now: a party that has died breaks it for the others, and the next step records that. */
function settled(state: BarrierState, facts: Facts): BarrierState {
  const outcomes = waitingOf(state.outcomes, facts);
  const now = outcomes === state.outcomes ? state : { ...state, outcomes };
  return now.arrived.every((party) => stands(party, facts)) ? now : broken(now, 'dead-party', facts);
}

function outcomeOf(state: BarrierState, owner: OwnerId): PartyDecision | undefined {
  return state.outcomes.find((outcome) => outcome.owner === owner)?.answer;
}

/**
 * The barrier without what became of these parties, which they know by now. For a store without a clock, where an outcome does
 * not lapse by itself. The same reference if none of them is there.
 */
export function withoutOutcomes(state: BarrierState, owners: ReadonlySet<OwnerId>): BarrierState {
  const outcomes = state.outcomes.filter(({ owner }) => !owners.has(owner));
  return outcomes.length === state.outcomes.length ? state : { ...state, outcomes };
}

/** All whose wait the step has ended, except the one that took it: it has its answer. */
function wakeDecided(
  before: BarrierState | undefined,
  after: BarrierState,
  self: OwnerId | null,
  facts: Facts,
): Wake {
  if (before === undefined || after.arrived.length > 0) return 'none';
  const owners = before.arrived
    .map(({ owner }) => owner)
    .filter((owner) => owner !== self && !facts.dead.has(owner));
  return owners.length === 0 ? 'none' : owners;
}

/** The barrier's rule. */
export const barrierRule: Rule<BarrierState, BarrierVerbs, BarrierLook> = {
  verbs: {
    arrive: (state, ask, facts) => {
      const { owner, parties, interestMs } = ask;
      const { generation } = state ?? { generation: 0 };
      if (state !== undefined && state.parties !== parties) {
        return { state, answer: { kind: 'mismatch', parties: state.parties }, wake: 'none' };
      }
      const fresh: BarrierState = { parties, generation: 0, broken: null, arrived: [], outcomes: [] };
      const now = settled(state ?? fresh, facts);
      const wake = wakeDecided(state, now, owner, facts);
      const known = outcomeOf(now, owner);
      if (known !== undefined) return { state: now, answer: known, wake };

      const isIn = now.arrived.some((party) => party.owner === owner);
      // It asked before and is not to be found: it was away for longer than its interest. To count it as arriving now
      // would let it be one of the next generation's parties without having come to it.
      if (!isIn && (!ask.first || facts.dead.has(owner))) {
        const answer = { kind: 'broken', generation, reason: 'dead-party' } as const;
        return { state: state === undefined ? state : now, answer, wake };
      }
      if (now.broken !== null)
        return { state: now, answer: { kind: 'broken', generation, reason: now.broken }, wake };

      const arrived = lined(now.arrived, { owner, until: facts.now + interestMs, interestMs }, facts);
      const after = arrived === now.arrived ? now : { ...now, arrived };
      if (arrived.length >= parties) {
        const through = tripped(after, facts);
        const answer = { kind: 'tripped', generation, index: 0 } as const;
        return { state: through, answer, wake: wakeDecided(now, through, owner, facts) };
      }
      const ends = arrived.map((party) => endsInMs(party, facts));
      return {
        state: after,
        answer: { kind: 'waiting', generation, againInMs: soonestInMs(ends, interestMs) },
        wake: 'none',
      };
    },
    leave: (state, { owner, reason }, facts) => {
      if (state === undefined) return { state, answer: { kind: 'absent' }, wake: 'none' };
      const now = settled(state, facts);
      const isIn = now.arrived.some((party) => party.owner === owner);
      const after = isIn ? broken(now, reason, facts) : now;
      return {
        state: after,
        answer: outcomeOf(after, owner) ?? { kind: 'absent' },
        wake: wakeDecided(state, after, owner, facts),
      };
    },
    reset: (state, _ask, facts) => {
      // The barrier was never used, so no party waits; the first arrival sets the number of parties.
      if (state === undefined) return { state, answer: { generation: 0 }, wake: 'none' };
      const generation = state.generation + 1;
      const after = { ...broken(settled(state, facts), 'reset', facts), generation, broken: null };
      return { state: after, answer: { generation }, wake: wakeDecided(state, after, null, facts) };
    },
  },
  look: (state, facts) => {
    if (state === undefined) return { parties: undefined, generation: 0, waiting: 0, broken: undefined };
    const { parties, generation, arrived, broken: reason } = settled(state, facts);
    const line = { order: 'any', places: placesOf(arrived, facts) } as const;
    return { parties, generation, waiting: arrived.length, line, broken: reason ?? undefined };
  },
  /**
   * The number of the generation goes with the record and starts again at 0. No party can mistake the new for the old:
   * each arrival has its own owner id, and the record keeps its outcome under that id, not under the number. To keep
   * the record for the number's sake would keep one for every barrier ever used.
   */
  spent: (state, facts) => {
    const now = settled(state, facts);
    return now.broken === null && now.arrived.length === 0 && now.outcomes.length === 0 ? 0 : undefined;
  },
};
