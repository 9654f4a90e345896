import type { Facts, OwnerId, Step } from '../spi/rule.ts';
import type { AcquireAsk, Busy } from '../spi/verbs/holding.ts';
import type { PlaceView } from '../spi/verbs/line-view.ts';
import { endsInMs, kept, type Leased, stands } from './lease.ts';

/** A place in line. It lapses unless its owner asks again, and at once when the owner's session ends. */
export type Ticket = Leased;

/** A ticket in a line that grants by turns. It says for how long its owner will hold once it is granted. */
export interface TimedTicket extends Ticket {
  readonly leaseMs: number;
}

/** The tickets that still stand; the same array if none has lapsed. */
export function waitingOf<T extends Ticket>(queue: readonly T[], facts: Facts): readonly T[] {
  // Most locks have an empty line, and these are acquired and released most often.
  return queue.length === 0 ? queue : kept(queue, (ticket) => stands(ticket, facts));
}

export function without<T extends Ticket>(queue: readonly T[], owner: OwnerId): readonly T[] {
  return queue.length === 0 ? queue : kept(queue, (ticket) => ticket.owner !== owner);
}

/** Those whose turn comes before the owner's: all of them if it is not in line. */
export function aheadOf<T extends Ticket>(queue: readonly T[], owner: OwnerId): readonly T[] {
  const place = queue.findIndex((ticket) => ticket.owner === owner);
  return place === -1 ? queue : queue.slice(0, place);
}

/**
 * The line with this owner in it. An owner in it keeps its position; its ticket is only written again when half of its
 * time has passed, so that a waiter which asks often does not change the state each time.
 */
export function lined<T extends Ticket>(queue: readonly T[], ticket: T, facts: Facts): readonly T[] {
  const at = queue.findIndex((other) => other.owner === ticket.owner);
  const standing = queue[at];
  if (standing === undefined) return [...queue, ticket];
  if (standing.until - facts.now > (ticket.until - facts.now) / 2) return queue;
  return queue.with(at, { ...standing, until: ticket.until });
}

/** The ticket an acquisition asks for. */
export function ticketFor(ask: AcquireAsk, facts: Facts): Ticket {
  return { owner: ask.owner, until: facts.now + ask.interestMs };
}

/** The turn an acquisition asks for. */
export function timedTicketFor(ask: AcquireAsk, facts: Facts): TimedTicket {
  return { ...ticketFor(ask, facts), leaseMs: ask.leaseMs };
}

/** How long until a turn could be over with no step that tells those behind: its owner is gone, or came in and went. */
export function passesInMs(turn: TimedTicket, facts: Facts): number {
  return Math.min(endsInMs(turn, facts), turn.leaseMs);
}

/** The tickets as a query shows them. */
export function placesOf(queue: readonly Ticket[], facts: Facts): readonly PlaceView[] {
  return queue.map((ticket) => ({ owner: ticket.owner, lapsesInMs: endsInMs(ticket, facts) }));
}

/**
 * When to ask again: as soon as the first of the holders in the way can be gone, although all of them have to be.
 *
 * To wait for the last looks cheaper, and would be right if nothing happened in between. But a step that grants nothing
 * wakes no waiter: when the holder with the longest lease leaves early, the others' leases may all end while the waiter
 * sleeps on, until the end of a lease whose holder left long ago.
 */
export function soonestInMs(ends: readonly number[], interestMs: number): number {
  return Math.min(interestMs / 3, ...ends);
}

/**
 * The answer to an owner whose session has ended. To let it in would be worse than useless: its hold would not stand
 * for a moment, and it would believe in it for a whole lease. It leaves no trace, and learns the rest from its session.
 */
export function turnedAway<S>(state: S | undefined, ask: AcquireAsk): Step<S, Busy> {
  return { state, answer: { kind: 'busy', againInMs: ask.interestMs / 3 }, wake: 'none' };
}

/** How many of those waiting belong to another client than `owner`'s. */
export function othersThan(owner: OwnerId, queue: readonly Ticket[]): number {
  if (queue.length === 0) return 0;
  const client = owner.slice(0, owner.lastIndexOf(':') + 1);
  return queue.filter((ticket) => !ticket.owner.startsWith(client)).length;
}
