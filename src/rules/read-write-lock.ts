import type { Facts, Rule, Step, Wake } from '../spi/rule.ts';
import type { Granted } from '../spi/verbs/holding.ts';
import type {
  ReadWriteAsk,
  ReadWriteLockLook,
  ReadWriteLockVerbs,
  Side,
  SideAsk,
} from '../spi/verbs/read-write-lock.ts';
import { nextFence } from './fence.ts';
import * as lease from './lease.ts';
import {
  lined,
  othersThan,
  placesOf,
  soonestInMs,
  type Ticket,
  ticketFor,
  turnedAway,
  waitingOf,
  without,
} from './queue.ts';

type Sides<T> = { readonly [S in Side]: readonly T[] };

/**
 * Many readers or one writer, without preference: the queues only list the waiters, and the first request to
 * arrive enters. A writer may take the read side too, under its own id, and keep it when it releases the write side.
 *
 * A reader may enter after a waiting writer has asked, and its lease may end before those that the writer has seen. The
 * writer learns that when it asks again, after a third of its interest at the latest: no step wakes a waiter for a lease that
 * ends by itself, and to wake every writer for each reader that enters would only make them find that they cannot.
 */
export interface ReadWriteLockState {
  /** The last fence given out. */
  readonly fence: number;
  /** At most one on the write side. */
  readonly holders: Sides<lease.Held>;
  readonly waiting: Sides<Ticket>;
}

const FREE: ReadWriteLockState = {
  fence: 0,
  holders: { read: [], write: [] },
  waiting: { read: [], write: [] },
};

function onSide<T>(sides: Sides<T>, side: Side, list: readonly T[]): Sides<T> {
  return sides[side] === list ? sides : { ...sides, [side]: list };
}

function standingOn<T extends lease.Leased>(sides: Sides<T>, facts: Facts): Sides<T> {
  const read = onSide(sides, 'read', waitingOf(sides.read, facts));
  return onSide(read, 'write', waitingOf(sides.write, facts));
}

function changed(
  state: ReadWriteLockState,
  holders: Sides<lease.Held>,
  waiting: Sides<Ticket>,
): ReadWriteLockState {
  return holders === state.holders && waiting === state.waiting ? state : { ...state, holders, waiting };
}

function standing(state: ReadWriteLockState, facts: Facts): ReadWriteLockState {
  return changed(state, standingOn(state.holders, facts), standingOn(state.waiting, facts));
}

function holdOf(
  state: ReadWriteLockState | undefined,
  { owner, side }: SideAsk,
  facts: Facts,
): lease.Held | undefined {
  return state?.holders[side].find((held) => held.owner === owner && lease.stands(held, facts));
}

/** A reader waits for the writer, a writer for all holders; no owner waits for itself, or for the write it reads under. */
function inTheWay(
  { holders }: ReadWriteLockState,
  { owner, side, under }: ReadWriteAsk,
): readonly lease.Held[] {
  const others = without(side === 'read' ? holders.write : [...holders.write, ...holders.read], owner);
  return side === 'read' && under !== undefined ? without(others, under) : others;
}

/**
 * The waiters to wake after an owner has left a side: a writer that leaves wakes readers even if it keeps reading itself, and
 * writers only when no holder is left. A reader that leaves wakes no reader, for none had to wait for it; to wake writers at
 * each of many readers that leave would have every waiting writer ask in vain each time.
 */
function wakeAfter(side: Side, { holders, waiting }: ReadWriteLockState): Wake {
  if (holders.write.length > 0) return 'none';
  const readers = side === 'write' ? waiting.read.length : 0;
  const writers = holders.read.length === 0 ? waiting.write.length : 0;
  return readers + writers === 0 ? 'none' : 'anyone';
}

function enter(
  state: ReadWriteLockState,
  ask: ReadWriteAsk,
  facts: Facts,
): Step<ReadWriteLockState, Granted> {
  const { side } = ask;
  const held = lease.nextHold(state.fence, ask, facts);
  return {
    state: {
      fence: held.fence,
      holders: onSide(state.holders, side, [...state.holders[side], held]),
      waiting: onSide(state.waiting, side, without(state.waiting[side], ask.owner)),
    },
    answer: lease.grantedAnswer(held, facts),
    wake: 'none',
  };
}

/** The read-write lock's rule. */
export const readWriteLockRule: Rule<ReadWriteLockState, ReadWriteLockVerbs, ReadWriteLockLook> = {
  verbs: {
    acquire: (state, ask, facts) => {
      const own = holdOf(state, ask, facts);
      if (own !== undefined) return { state, answer: lease.grantedAnswer(own, facts), wake: 'none' };
      if (facts.dead.has(ask.owner)) return turnedAway(state, ask);
      const now = standing(state ?? FREE, facts);
      // It would wait for itself; and two readers that both upgrade would wait for each other without limit. A ticket that it
      // took before it read goes too: its owner no longer waits.
      if (ask.side === 'write' && now.holders.read.some((held) => held.owner === ask.owner)) {
        const waiting = onSide(now.waiting, 'write', without(now.waiting.write, ask.owner));
        return { state: changed(now, now.holders, waiting), answer: { kind: 'upgrade' }, wake: 'none' };
      }
      const others = inTheWay(now, ask);
      if (others.length === 0) return enter(now, ask, facts);
      const line = now.waiting[ask.side];
      const waiting = onSide(
        now.waiting,
        ask.side,
        ask.wait ? lined(line, ticketFor(ask, facts), facts) : line,
      );
      const ends = others.map((held) => lease.endsInMs(held, facts));
      return {
        state: changed(now, now.holders, waiting),
        answer: { kind: 'busy', againInMs: soonestInMs(ends, ask.interestMs) },
        wake: 'none',
      };
    },
    release: (state, { owner, side }, facts) => {
      if (state === undefined) return { state, answer: { kind: 'not-held' }, wake: 'none' };
      const now = standing(state, facts);
      const holders = onSide(now.holders, side, without(now.holders[side], owner));
      if (holders === now.holders) {
        const waiting = onSide(now.waiting, side, without(now.waiting[side], owner));
        return { state: changed(now, holders, waiting), answer: { kind: 'not-held' }, wake: 'none' };
      }
      const after = changed(now, holders, now.waiting);
      const others = othersThan(owner, [...after.waiting.read, ...after.waiting.write]);
      return { state: after, answer: { kind: 'released', others }, wake: wakeAfter(side, after) };
    },
    renew: (state, ask, facts) => {
      const own = holdOf(state, ask, facts);
      if (state === undefined || own === undefined) return { state, answer: { kind: 'gone' }, wake: 'none' };
      const longer = lease.prolonged(own, ask.leaseMs, facts);
      const holders = onSide(state.holders, ask.side, lease.replaced(state.holders[ask.side], longer));
      return {
        state: changed(state, holders, state.waiting),
        answer: lease.renewedAnswer(longer, facts),
        wake: 'none',
      };
    },
    force: (state, ask, facts) => {
      const now = standing(state ?? FREE, facts);
      const first = now.holders[ask.side].find((held) => lease.isMeant(ask, held));
      if (first === undefined) return { state, answer: { kind: 'not-forced' }, wake: 'none' };
      const left = now.holders[ask.side].filter((held) => !lease.isMeant(ask, held));
      const after = {
        ...changed(now, onSide(now.holders, ask.side, left), now.waiting),
        fence: nextFence(now.fence, facts),
      };
      return {
        state: after,
        answer: { kind: 'forced', holder: lease.holderView(first, facts) },
        wake: wakeAfter(ask.side, after),
      };
    },
  },
  look: (state, facts) => {
    const { holders, waiting } = standing(state ?? FREE, facts);
    const views = (held: readonly lease.Held[]) => held.map((one) => lease.holderView(one, facts));
    const places = (side: Side) => placesOf(waiting[side], facts).map((place) => ({ ...place, side }));
    return {
      writer: views(holders.write)[0],
      readers: views(holders.read),
      waiters: { read: waiting.read.length, write: waiting.write.length },
      line: { order: 'any', places: [...places('write'), ...places('read')] },
    };
  },
  spent: (state, facts) => {
    const { fence, holders, waiting } = standing(state, facts);
    const counted = [holders.read, holders.write, waiting.read, waiting.write];
    return counted.every((list) => list.length === 0) ? fence : undefined;
  },
};
