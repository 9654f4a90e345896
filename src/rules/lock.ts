import type { Decide, Facts, OwnerId, Rule, Step, Wake } from '../spi/rule.ts';
import type { Busy, Granted, Released, ReleaseAsk } from '../spi/verbs/holding.ts';
import type { LockAsk, LockLook, LockVerbs } from '../spi/verbs/lock.ts';
import { nextFence } from './fence.ts';
import {
  grantedAnswer,
  type Held,
  holdEndsInMs,
  holderView,
  holdStands,
  isMeant,
  keptFor,
  keptHold,
  prolonged,
  renewedAnswer,
} from './lease.ts';
import {
  aheadOf,
  lined,
  othersThan,
  passesInMs,
  placesOf,
  soonestInMs,
  type TimedTicket,
  turnedAway,
  timedTicketFor,
  waitingOf,
  without,
} from './queue.ts';

/**
 * A lock: at most one holder at a time.
 *
 * In the fair lock the queue decides: only its head may enter. In the plain lock the queue only lists the
 * waiters, so that a release knows whether to wake any; the first request to arrive at a free lock gets it.
 */
export interface LockState {
  /** The last fence given out or reserved. */
  readonly fence: number;
  readonly holder: Held | null;
  readonly queue: readonly TimedTicket[];
}

/** The answer of nearly every release. */
const RELEASED_ALONE: Released = { kind: 'released', others: 0 };

const FREE: LockState = { fence: 0, holder: null, queue: [] };

function standingHolder(state: LockState, facts: Facts): Held | null {
  return state.holder !== null && holdStands(state.holder, facts) ? state.holder : null;
}

/** Whom to tell that the lock is free: the head of a fair queue, all who are interested in a plain lock. */
function wakeWhenFree(fair: boolean, queue: readonly TimedTicket[]): Wake {
  const head = queue[0];
  if (head === undefined) return 'none';
  return fair ? [head.owner] : 'anyone';
}

/**
 * A step that finds the head of a free fair lock's queue dead removes it and must wake the new head in the same step:
 * no other step will, because the release that freed the lock woke the dead head.
 */
function wakeNewHead(before: readonly TimedTicket[], after: readonly TimedTicket[], self: OwnerId): Wake {
  const head = after[0];
  if (head === undefined || head.owner === self || head.owner === before[0]?.owner) return 'none';
  return [head.owner];
}

function grant(
  state: LockState,
  queue: readonly TimedTicket[],
  ask: LockAsk,
  facts: Facts,
): Step<LockState, Granted> {
  const fence = nextFence(state.fence, facts);
  const { owner, fences, minHoldMs } = ask;
  const remainingMs = minHoldMs === undefined ? ask.leaseMs : Math.max(ask.leaseMs, minHoldMs);
  const leased: Held = { owner, until: facts.now + remainingMs, fence, fences };
  const holder = minHoldMs === undefined ? leased : { ...leased, keptUntil: facts.now + minHoldMs };
  return {
    state: { fence: fence + ask.fences - 1, holder, queue: without(queue, ask.owner) },
    answer: {
      kind: 'granted',
      fence,
      fences: ask.fences,
      remainingMs,
      passedOver: queue.length === 0 ? 0 : othersThan(ask.owner, queue),
    },
    wake: 'none',
  };
}

function refuse(
  fair: boolean,
  state: LockState,
  holder: Held | null,
  waiting: readonly TimedTicket[],
  ask: LockAsk,
  facts: Facts,
): Step<LockState, Busy> {
  const queue = ask.wait ? lined(waiting, timedTicketFor(ask, facts), facts) : waiting;
  const ends = fair ? aheadOf(queue, ask.owner).map((turn) => passesInMs(turn, facts)) : [];
  if (holder !== null) ends.push(holdEndsInMs(holder, facts));
  const changed = queue !== state.queue || holder !== state.holder;
  return {
    state: changed ? { fence: state.fence, holder, queue } : state,
    answer: { kind: 'busy', againInMs: soonestInMs(ends, ask.interestMs) },
    wake: fair && holder === null ? wakeNewHead(state.queue, queue, ask.owner) : 'none',
  };
}

function acquireAs(fair: boolean): Decide<LockState, LockAsk, Granted | Busy> {
  return (given, ask, facts) => {
    const state = given ?? FREE;
    const holder = standingHolder(state, facts);
    // Answers a repeated request with what is left of its grant, never with a fresh lease (soundness 2).
    if (holder?.owner === ask.owner) return { state, answer: grantedAnswer(holder, facts), wake: 'none' };
    if (facts.dead.has(ask.owner)) return turnedAway(given, ask);
    const waiting = waitingOf(state.queue, facts);
    const first = !fair || waiting.length === 0 || waiting[0]?.owner === ask.owner;
    if (holder === null && first) return grant(state, waiting, ask, facts);
    return refuse(fair, state, holder, waiting, ask, facts);
  };
}

function releaseAs(fair: boolean): Decide<LockState, ReleaseAsk, Released> {
  return (state, { owner, minHold }, facts) => {
    if (state === undefined) return { state, answer: { kind: 'not-held' }, wake: 'none' };
    const waiting = waitingOf(state.queue, facts);
    // Whether its lease still stands does not matter: after a later grant the record would name another holder.
    if (state.holder?.owner === owner) {
      return {
        // Wakes the waiters also if a part of the hold is left: they had counted on the end of its lease.
        state: {
          fence: state.fence,
          holder: keptHold(state.holder, minHold, facts) ?? null,
          queue: waiting,
        },
        answer:
          waiting.length === 0 ? RELEASED_ALONE : { kind: 'released', others: othersThan(owner, waiting) },
        wake: wakeWhenFree(fair, waiting),
      };
    }
    const holder = standingHolder(state, facts);
    // A waiter leaves: if it was the head of a free lock's queue, this very step wakes its successor.
    const queue = without(waiting, owner);
    const changed = queue !== state.queue || holder !== state.holder;
    return {
      state: changed ? { fence: state.fence, holder, queue } : state,
      answer: { kind: 'not-held' },
      wake: fair && holder === null ? wakeNewHead(state.queue, queue, owner) : 'none',
    };
  };
}

function lookAs(fair: boolean): (state: LockState | undefined, facts: Facts) => LockLook {
  return (state, facts) => {
    if (state === undefined) return { holder: undefined, waiters: 0 };
    const holder = standingHolder(state, facts);
    const waiting = waitingOf(state.queue, facts);
    return {
      holder: holder === null ? undefined : holderView(holder, facts),
      waiters: waiting.length,
      line: { order: fair ? 'turns' : 'any', places: placesOf(waiting, facts) },
    };
  };
}

/** The lock's rule, plain or fair. */
export function lockRule(order: { readonly fair: boolean }): Rule<LockState, LockVerbs, LockLook> {
  const { fair } = order;
  return {
    verbs: {
      acquire: acquireAs(fair),
      release: releaseAs(fair),
      renew: (state, { owner, leaseMs, minHoldMs }, facts) => {
        const holder = state === undefined ? null : standingHolder(state, facts);
        if (state === undefined || holder?.owner !== owner)
          return { state, answer: { kind: 'gone' }, wake: 'none' };
        const longer = keptFor(prolonged(holder, leaseMs, facts), minHoldMs, facts);
        const after = longer === holder ? state : { ...state, holder: longer };
        return { state: after, answer: renewedAnswer(longer, facts), wake: 'none' };
      },
      force: (state, ask, facts) => {
        const holder = state === undefined ? null : standingHolder(state, facts);
        if (state === undefined || holder === null || !isMeant(ask, holder)) {
          return { state, answer: { kind: 'not-forced' }, wake: 'none' };
        }
        const queue = waitingOf(state.queue, facts);
        return {
          // Raises the fence at once and not with the next grant: a resource that asks the record refuses the old holder from now on.
          state: { fence: nextFence(state.fence, facts), holder: null, queue },
          answer: { kind: 'forced', holder: holderView(holder, facts) },
          wake: wakeWhenFree(fair, queue),
        };
      },
      raise: (state, { owner, fence }, facts) => {
        const holder = state === undefined ? null : standingHolder(state, facts);
        if (state === undefined || holder?.owner !== owner)
          return { state, answer: { kind: 'gone' }, wake: 'none' };
        return {
          state: fence > state.fence ? { ...state, fence } : state,
          answer: { kind: 'raised', upMs: facts.upMs },
          wake: 'none',
        };
      },
    },
    look: lookAs(fair),
    spent: (state, facts) =>
      standingHolder(state, facts) === null && waitingOf(state.queue, facts).length === 0
        ? state.fence
        : undefined,
  };
}
