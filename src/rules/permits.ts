import type { Facts, OwnerId, Rule, Wake } from '../spi/rule.ts';
import type { HoldingVerbs } from '../spi/verbs/holding.ts';
import type { SemaphoreAsk, SemaphoreLook, TotalMismatch } from '../spi/verbs/semaphore.ts';
import {
  grantedAnswer,
  type Held,
  holderView,
  kept,
  nextHold,
  prolonged,
  renewedAnswer,
  replaced,
} from './lease.ts';
import * as line from './queue.ts';

interface HeldPermits extends Held {
  readonly permits: number;
}

interface PermitTicket extends line.TimedTicket {
  readonly permits: number;
}

/** A number of permits, shared out in the order of asking. */
export interface PermitsState {
  /** The last fence given out. */
  readonly fence: number;
  readonly total: number;
  readonly holders: readonly HeldPermits[];
  readonly queue: readonly PermitTicket[];
}

/** What ends a hold: the two kinds of semaphore differ in nothing else. */
export interface Ending {
  readonly stands: (held: Held, facts: Facts) => boolean;
  readonly endsInMs: (held: Held, facts: Facts) => number;
}

function permitsOf(list: readonly { readonly permits: number }[]): number {
  return list.reduce((sum, { permits }) => sum + permits, 0);
}

function standing(state: PermitsState, ending: Ending, facts: Facts): PermitsState {
  const holders = kept(state.holders, (held) => ending.stands(held, facts));
  const queue = line.waitingOf(state.queue, facts);
  return holders === state.holders && queue === state.queue ? state : { ...state, holders, queue };
}

/**
 * The owners that may enter: the longest front of the queue that fits all at once. It ends at the first owner that does not
 * fit, even if one behind it would: otherwise small requests keep overtaking a large one, and it starves.
 *
 * These owners may enter in any order. To admit only the very first would send the second, woken together with the first but
 * quicker to ask, back to sleep, and no step would wake it again.
 */
function admitted(state: PermitsState): readonly OwnerId[] {
  let free = state.total - permitsOf(state.holders);
  const beyond = state.queue.findIndex(({ permits }) => (free -= permits) < 0);
  return state.queue.slice(0, beyond === -1 ? state.queue.length : beyond).map(({ owner }) => owner);
}

/**
 * The owners that a step wakes: those that its outcome admits and the record it found did not. The record counts as it stood,
 * with the tickets that have lapsed since: the step that finds them lapsed wakes the owners behind them.
 */
function newlyAdmitted(before: PermitsState | undefined, after: PermitsState): Wake {
  const told = new Set(before === undefined ? [] : admitted(before));
  const owners = admitted(after).filter((owner) => !told.has(owner));
  return owners.length === 0 ? 'none' : owners;
}

function entered(
  state: PermitsState,
  ask: SemaphoreAsk,
  facts: Facts,
): { state: PermitsState; held: HeldPermits } {
  const held = { ...nextHold(state.fence, ask, facts), permits: ask.permits };
  const { total, holders, queue } = state;
  return {
    state: { fence: held.fence, total, holders: [...holders, held], queue: line.without(queue, ask.owner) },
    held,
  };
}

/** The rule of both semaphores. */
export function permitsRule(
  ending: Ending,
): Rule<PermitsState, HoldingVerbs<SemaphoreAsk, TotalMismatch>, SemaphoreLook> {
  const holdOf = (state: PermitsState | undefined, owner: OwnerId, facts: Facts): HeldPermits | undefined =>
    state?.holders.find((held) => held.owner === owner && ending.stands(held, facts));

  return {
    verbs: {
      acquire: (state, ask, facts) => {
        const { total } = state ?? ask;
        if (ask.total !== total || ask.permits > total) {
          return { state, answer: { kind: 'mismatch', total }, wake: 'none' };
        }
        const own = holdOf(state, ask.owner, facts);
        if (own !== undefined) return { state, answer: grantedAnswer(own, facts), wake: 'none' };
        if (facts.dead.has(ask.owner)) return line.turnedAway(state, ask);

        const now = standing(state ?? { fence: 0, total, holders: [], queue: [] }, ending, facts);
        const ahead = line.aheadOf(now.queue, ask.owner);
        if (ask.permits + permitsOf(ahead) + permitsOf(now.holders) <= total) {
          const { state: after, held } = entered(now, ask, facts);
          return { state: after, answer: grantedAnswer(held, facts), wake: newlyAdmitted(state, after) };
        }
        const turn = { ...line.timedTicketFor(ask, facts), permits: ask.permits };
        const queue = ask.wait ? line.lined(now.queue, turn, facts) : now.queue;
        const after = queue === now.queue ? now : { ...now, queue };
        const ends = [
          ...now.holders.map((held) => ending.endsInMs(held, facts)),
          ...ahead.map((other) => line.passesInMs(other, facts)),
        ];
        return {
          state: after,
          answer: { kind: 'busy', againInMs: line.soonestInMs(ends, ask.interestMs) },
          wake: newlyAdmitted(state, after),
        };
      },
      release: (state, { owner }, facts) => {
        if (state === undefined) return { state, answer: { kind: 'not-held' }, wake: 'none' };
        const now = standing(state, ending, facts);
        const holders = line.without(now.holders, owner);
        const queue = line.without(now.queue, owner);
        const after = holders === now.holders && queue === now.queue ? now : { ...now, holders, queue };
        return {
          state: after,
          answer:
            holders === now.holders
              ? { kind: 'not-held' }
              : { kind: 'released', others: line.othersThan(owner, queue) },
          wake: newlyAdmitted(state, after),
        };
      },
      renew: (state, { owner, leaseMs }, facts) => {
        const own = holdOf(state, owner, facts);
        if (state === undefined || own === undefined)
          return { state, answer: { kind: 'gone' }, wake: 'none' };
        const longer = prolonged(own, leaseMs, facts);
        const holders = replaced(state.holders, longer);
        return {
          state: holders === state.holders ? state : { ...state, holders },
          answer: renewedAnswer(longer, facts),
          wake: 'none',
        };
      },
    },
    look: (state, facts) => {
      if (state === undefined) return { total: undefined, taken: 0, holders: [], waiters: 0 };
      const { total, holders, queue } = standing(state, ending, facts);
      return {
        total,
        taken: permitsOf(holders),
        holders: holders.map((held) => ({ ...holderView(held, facts), permits: held.permits })),
        waiters: queue.length,
        line: {
          order: 'turns',
          places: line.placesOf(queue, facts).map((place, at) => ({ ...place, permits: queue[at]!.permits })),
        },
      };
    },
    spent: (state, facts) => {
      const { fence, holders, queue } = standing(state, ending, facts);
      return holders.length === 0 && queue.length === 0 ? fence : undefined;
    },
  };
}
