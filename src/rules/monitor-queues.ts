import type { OwnerId } from '../spi/rule.ts';
import type { Signal } from '../spi/verbs/monitor.ts';
import { kept } from './lease.ts';
import { aheadOf, type Ticket, type TimedTicket, without } from './queue.ts';

/** One who stands to enter. It keeps the condition whose signal brought it here, for it may have to pass it on. */
export interface Entrant extends TimedTicket {
  readonly signalled: string | null;
}

/** Pairs, not a record: `__proto__` is a good name for a condition and a bad key. None is empty. */
type Conditions = readonly (readonly [condition: string, waiters: readonly TimedTicket[]])[];

/** Where owners stand who are not in the monitor: in line to enter, or waiting for a condition. */
export interface Queues {
  readonly entry: readonly Entrant[];
  readonly conditions: Conditions;
}

export function waitersOf({ conditions }: Queues, condition: string): readonly TimedTicket[] {
  return conditions.find(([name]) => name === condition)?.[1] ?? [];
}

/** The condition on which this owner waits. */
export function conditionOf({ conditions }: Queues, owner: OwnerId): string | undefined {
  return conditions.find(([, waiters]) => waiters.some((waiter) => waiter.owner === owner))?.[0];
}

/** The queues in which `waiters` wait on this condition; the same reference if they already did. */
export function withWaiters<Q extends Queues>(
  queues: Q,
  condition: string,
  waiters: readonly TimedTicket[],
): Q {
  const before = waitersOf(queues, condition);
  if (before === waiters || before.length + waiters.length === 0) return queues;
  const others = queues.conditions.filter(([name]) => name !== condition);
  return { ...queues, conditions: waiters.length === 0 ? others : [...others, [condition, waiters]] };
}

/** The queues after a signal: its receivers are at the end of the entry queue, and none of them has entered yet. */
export function signalled<Q extends Queues>(queues: Q, { condition, all }: Signal): Q {
  const waiters = waitersOf(queues, condition);
  const receivers = all ? waiters : waiters.slice(0, 1);
  if (receivers.length === 0) return queues;
  const entry = [...queues.entry, ...receivers.map((waiter) => ({ ...waiter, signalled: condition }))];
  return withWaiters({ ...queues, entry }, condition, waiters.slice(receivers.length));
}

/**
 * The queues without the owners that go. A signal outlives its receiver: a receiver that goes before it could act passes the
 * signal to the next waiter of that condition, in this very step (soundness 20). Otherwise the item that the signal
 * announced stays in its buffer while every owner that could take it sleeps.
 */
export function withdrawn<Q extends Queues>(queues: Q, goes: (ticket: Ticket) => boolean): Q {
  const stays = (ticket: Ticket): boolean => !goes(ticket);
  let left = queues;
  // Waiters first: a signal must not be passed to a waiter that goes as well.
  for (const [condition, waiters] of queues.conditions)
    left = withWaiters(left, condition, kept(waiters, stays));
  const entry = kept(queues.entry, stays);
  if (entry !== queues.entry) left = { ...left, entry };
  for (const { signalled: condition } of queues.entry.filter(goes)) {
    if (condition !== null) left = signalled(left, { condition, all: false });
  }
  return left;
}

/** The queues without this owner's wait on its condition; a place in the entry queue, and the signal with it, is kept. */
export function stoppedWaiting<Q extends Queues>(queues: Q, owner: OwnerId): Q {
  const condition = conditionOf(queues, owner);
  return condition === undefined
    ? queues
    : withWaiters(queues, condition, without(waitersOf(queues, condition), owner));
}

/** Those whose going may bring this waiter a signal: who has one of its condition, and who would get one before it. */
export function signalBearersFor(queues: Queues, condition: string, owner: OwnerId): readonly TimedTicket[] {
  const bearers = queues.entry.filter((entrant) => entrant.signalled === condition);
  return [...bearers, ...aheadOf(waitersOf(queues, condition), owner)];
}
