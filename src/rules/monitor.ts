import type { Json } from '../spi/json.ts';
import type { Facts, OwnerId, Rule, Step, Wake } from '../spi/rule.ts';
import type { Busy } from '../spi/verbs/holding.ts';
import type { Changes, EnterAsk, Entered, MonitorLook, MonitorVerbs } from '../spi/verbs/monitor.ts';
import { nextFence } from './fence.ts';
import * as lease from './lease.ts';
import * as queues from './monitor-queues.ts';
import {
  aheadOf,
  lined,
  othersThan,
  passesInMs,
  placesOf,
  soonestInMs,
  turnedAway,
  timedTicketFor,
  without,
} from './queue.ts';

interface MonitorHold extends lease.Held {
  /** What it asked for: a wait on a condition stands in line for as long a hold again. */
  readonly leaseMs: number;
  readonly signalled: boolean;
}

/**
 * A Mesa monitor: one owner at a time is in it and may read and write the guarded value; the others stand in one line to
 * enter or wait on a condition. A signal moves a waiter to the end of that line and lets it in no sooner.
 */
export interface MonitorState extends queues.Queues {
  /** The last fence given out. */
  readonly fence: number;
  readonly value: Json;
  readonly holder: MonitorHold | null;
}

function standingHolder(state: MonitorState | undefined, facts: Facts): MonitorHold | null {
  const holder = state?.holder ?? null;
  return holder !== null && lease.stands(holder, facts) ? holder : null;
}

/** The monitor without those whose time has run out. What a lost holder had not written yet is lost with it. */
function settled(state: MonitorState, facts: Facts): MonitorState {
  const holder = standingHolder(state, facts);
  const rest = queues.withdrawn(state, (ticket) => !lease.stands(ticket, facts));
  return holder === rest.holder ? rest : { ...rest, holder };
}

/** The owner that may enter: the head of the entry queue, while no section runs. */
function next(state: MonitorState | undefined): OwnerId | undefined {
  return state?.holder === null ? state.entry[0]?.owner : undefined;
}

/**
 * Whom a step lets in, compared with the record as it stood. A waiter that was signalled but is not first is not told: a
 * hundred of them would come running for a monitor that one can enter.
 */
function wakeNext(before: MonitorState | undefined, after: MonitorState): Wake {
  const owner = next(after);
  return owner === undefined || owner === next(before) ? 'none' : [owner];
}

function entered(holder: MonitorHold, value: Json, facts: Facts): Entered {
  return { ...lease.grantedAnswer(holder, facts), value, signalled: holder.signalled };
}

function enter(state: MonitorState, ask: EnterAsk, facts: Facts): Step<MonitorState, Entered> {
  const signalled = state.entry.some((entrant) => entrant.owner === ask.owner && entrant.signalled !== null);
  const holder = { ...lease.nextHold(state.fence, ask, facts), leaseMs: ask.leaseMs, signalled };
  return {
    state: { ...state, fence: holder.fence, holder, entry: without(state.entry, ask.owner) },
    answer: entered(holder, state.value, facts),
    wake: 'none',
  };
}

/** Keeps the ticket on the condition. Only a signal ends this wait, or a receiver that leaves and passes its signal on. */
function stayOn(
  condition: string,
  state: MonitorState,
  ask: EnterAsk,
  facts: Facts,
): Step<MonitorState, Busy> {
  const waiters = lined(queues.waitersOf(state, condition), timedTicketFor(ask, facts), facts);
  const bearers = queues.signalBearersFor(state, condition, ask.owner);
  const ends = bearers.map((turn) => passesInMs(turn, facts));
  return {
    state: queues.withWaiters(state, condition, waiters),
    answer: { kind: 'busy', againInMs: soonestInMs(ends, ask.interestMs) },
    wake: 'none',
  };
}

function standInLine(state: MonitorState, ask: EnterAsk, facts: Facts): Step<MonitorState, Busy> {
  const entry = ask.wait
    ? lined(state.entry, { ...timedTicketFor(ask, facts), signalled: null }, facts)
    : state.entry;
  const ends = aheadOf(entry, ask.owner).map((turn) => passesInMs(turn, facts));
  if (state.holder !== null) ends.push(lease.endsInMs(state.holder, facts));
  return {
    state: entry === state.entry ? state : { ...state, entry },
    answer: { kind: 'busy', againInMs: soonestInMs(ends, ask.interestMs) },
    wake: 'none',
  };
}

/** Writes, signals and leaves: one step, so that no section sees the value without the signal or the signal without it. */
function left(state: MonitorState, { write, signals }: Changes, facts: Facts): MonitorState {
  const written = {
    ...settled(state, facts),
    value: write === undefined ? state.value : write.value,
    holder: null,
  };
  return signals.reduce<MonitorState>((after, signal) => queues.signalled(after, signal), written);
}

/** The monitor's rule. */
export const monitorRule: Rule<MonitorState, MonitorVerbs, MonitorLook> = {
  verbs: {
    acquire: (state, ask, facts) => {
      const holder = standingHolder(state, facts);
      if (state !== undefined && holder?.owner === ask.owner) {
        return { state, answer: entered(holder, state.value, facts), wake: 'none' };
      }
      if (facts.dead.has(ask.owner)) return turnedAway(state, ask);
      const unused = { fence: 0, value: ask.initial, holder: null, entry: [], conditions: [] };
      const now = settled(state ?? unused, facts);
      const asking = ask.stopWaiting ? queues.stoppedWaiting(now, ask.owner) : now;
      const condition = queues.conditionOf(asking, ask.owner);
      const isNext = asking.holder === null && aheadOf(asking.entry, ask.owner).length === 0;
      const step =
        condition !== undefined
          ? stayOn(condition, asking, ask, facts)
          : isNext
            ? enter(asking, ask, facts)
            : standInLine(asking, ask, facts);
      return { ...step, wake: wakeNext(state, step.state ?? asking) };
    },
    release: (state, { owner }, facts) => {
      if (state === undefined) return { state, answer: { kind: 'not-held' }, wake: 'none' };
      const now = settled(state, facts);
      if (now.holder?.owner === owner) {
        const after = { ...now, holder: null };
        const answer = { kind: 'released', others: othersThan(owner, after.entry) } as const;
        return { state: after, answer, wake: wakeNext(state, after) };
      }
      const after = queues.withdrawn(now, (ticket) => ticket.owner === owner);
      return { state: after, answer: { kind: 'not-held' }, wake: wakeNext(state, after) };
    },
    renew: (state, { owner, leaseMs }, facts) => {
      const holder = standingHolder(state, facts);
      if (state === undefined || holder?.owner !== owner)
        return { state, answer: { kind: 'gone' }, wake: 'none' };
      const longer = lease.prolonged(holder, leaseMs, facts);
      const after = longer === holder ? state : { ...state, holder: longer };
      return { state: after, answer: lease.renewedAnswer(longer, facts), wake: 'none' };
    },
    exit: (state, ask, facts) => {
      const holder = standingHolder(state, facts);
      if (state === undefined || holder?.owner !== ask.owner)
        return { state, answer: { kind: 'gone' }, wake: 'none' };
      const after = left(state, ask, facts);
      return { state: after, answer: { kind: 'left' }, wake: wakeNext(state, after) };
    },
    wait: (state, ask, facts) => {
      const holder = standingHolder(state, facts);
      if (state === undefined || holder?.owner !== ask.owner)
        return { state, answer: { kind: 'gone' }, wake: 'none' };
      const { condition, owner, interestMs } = ask;
      // It joins only after its own signals are given: it must not receive one of them itself.
      const away = left(state, ask, facts);
      const turn = { owner, until: facts.now + interestMs, leaseMs: holder.leaseMs };
      const after = queues.withWaiters(away, condition, [...queues.waitersOf(away, condition), turn]);
      return { state: after, answer: { kind: 'waiting' }, wake: wakeNext(state, after) };
    },
    force: (state, ask, facts) => {
      const holder = standingHolder(state, facts);
      if (state === undefined || holder === null || !lease.isMeant(ask, holder)) {
        return { state, answer: { kind: 'not-forced' }, wake: 'none' };
      }
      const after = { ...settled(state, facts), fence: nextFence(state.fence, facts), holder: null };
      const answer = { kind: 'forced', holder: lease.holderView(holder, facts) } as const;
      return { state: after, answer, wake: wakeNext(state, after) };
    },
  },
  look: (state, facts) => {
    if (state === undefined) return { value: undefined, holder: undefined, entering: 0, waiting: {} };
    const { value, holder, entry, conditions } = settled(state, facts);
    return {
      value,
      holder: holder === null ? undefined : lease.holderView(holder, facts),
      entering: entry.length,
      line: { order: 'turns', places: placesOf(entry, facts) },
      waiting: Object.fromEntries(conditions.map(([condition, waiters]) => [condition, waiters.length])),
    };
  },
  // The record is not only about who is in: it is the guarded value, and goes no more than a row of data would.
  spent: () => undefined,
};
