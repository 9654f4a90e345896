import type { LineTicket } from '../spi/engine/ticket-line.ts';
import type { OwnerId } from '../spi/rule.ts';

/** How a ticket stands in its line. */
export type Standing =
  | { readonly kind: 'in' }
  /**
   * Not in as long as all of these stand. Whichever of them goes first, the line is to be listed again: the client may be
   * in, or have others to watch.
   */
  | { readonly kind: 'behind'; readonly watch: readonly OwnerId[] }
  /** The ticket is not there: taken away by force, or gone with its session. */
  | { readonly kind: 'absent' }
  /** The line is used with another number of permits. */
  | { readonly kind: 'mismatch'; readonly total: number };

/**
 * Who is in, and whom to watch. Pure: every client decides for itself on what it lists, and because a list shows all tickets that
 * are ahead, two clients never come to contradicting answers.
 */
export interface LineRule {
  standing(tickets: readonly LineTicket[], id: OwnerId): Standing;
  /** All that are in. */
  holders(tickets: readonly LineTicket[]): readonly LineTicket[];
}

const IN: Standing = { kind: 'in' };
const ABSENT: Standing = { kind: 'absent' };

function behind(...watch: readonly LineTicket[]): Standing {
  return { kind: 'behind', watch: watch.map(({ id }) => id) };
}

/** The ticket of this id: the first, should a repeated join have made two. */
function own(tickets: readonly LineTicket[], id: OwnerId): LineTicket | undefined {
  let first: LineTicket | undefined;
  for (const ticket of tickets) {
    if (ticket.id === id && (first === undefined || ticket.order < first.order)) first = ticket;
  }
  return first;
}

/** The nearest ticket ahead that counts. */
function nearestAhead(
  tickets: readonly LineTicket[],
  { order }: LineTicket,
  counts: (ticket: LineTicket) => boolean = () => true,
): LineTicket | undefined {
  let nearest: LineTicket | undefined;
  for (const ticket of tickets) {
    if (ticket.order < order && counts(ticket) && (nearest === undefined || ticket.order > nearest.order))
      nearest = ticket;
  }
  return nearest;
}

function inOrder(tickets: readonly LineTicket[]): readonly LineTicket[] {
  return tickets.toSorted((one, other) => one.order - other.order);
}

const permitsOf = ({ permits = 1 }: LineTicket): number => permits;
const writes = ({ side = 'write' }: LineTicket): boolean => side === 'write';

/**
 * One at a time: the first is in, and each of the others watches the ticket directly ahead of it.
 *
 * The tempting alternative watches the holder. Every release then wakes every waiter, and all but one have asked in vain.
 */
export const exclusiveLine: LineRule = {
  standing: (tickets, id) => {
    const ticket = own(tickets, id);
    if (ticket === undefined) return ABSENT;
    const ahead = nearestAhead(tickets, ticket);
    return ahead === undefined ? IN : behind(ahead);
  },
  holders: (tickets) => inOrder(tickets).slice(0, 1),
};

/**
 * Many readers or one writer, in the order of the line. A writer waits for the ticket directly ahead, of either side. A reader
 * waits for the writers ahead alone, and watches the last of them: while it stands there is a writer ahead, however many of the
 * others go. A read that joined under a write shares its position, so the write is not ahead of it.
 */
export const readWriteLine: LineRule = {
  standing: (tickets, id) => {
    const ticket = own(tickets, id);
    if (ticket === undefined) return ABSENT;
    const ahead = nearestAhead(tickets, ticket, writes(ticket) ? undefined : writes);
    return ahead === undefined ? IN : behind(ahead);
  },
  holders: (tickets) => {
    const line = inOrder(tickets);
    const [first] = line;
    const writer = line.find(writes);
    return line.filter(({ order, ...ticket }) =>
      writes({ order, ...ticket }) ? order === first!.order : order <= (writer?.order ?? Infinity),
    );
  },
};

/**
 * K of N: a ticket is in when its permits and those of all tickets ahead fit. A large request at the head thus keeps small
 * ones behind it, and does not starve.
 *
 * A client watches the nearest tickets ahead until their permits alone leave no room for its own: as long as they all stand it
 * cannot be in. The tempting alternative, Curator's first semaphore, watches the one ticket that is N places ahead: the
 * holder of another permit leaves, and the waiter that has room now is not woken.
 */
export function permitsLine(total: number): LineRule {
  return {
    standing: (tickets, id) => {
      const ticket = own(tickets, id);
      if (ticket === undefined) return ABSENT;
      const other = tickets.find(
        (one) => one.total !== undefined && one.order < ticket.order && one.total !== total,
      );
      if (other?.total !== undefined) return { kind: 'mismatch', total: other.total };
      const room = total - permitsOf(ticket);
      const watch: LineTicket[] = [];
      let taken = 0;
      for (const ahead of inOrder(tickets.filter(({ order }) => order < ticket.order)).toReversed()) {
        watch.push(ahead);
        taken += permitsOf(ahead);
        if (taken > room) return behind(...watch);
      }
      return IN;
    },
    holders: (tickets) => {
      let taken = 0;
      const line = inOrder(tickets);
      const beyond = line.findIndex((ticket) => (taken += permitsOf(ticket)) > total);
      return beyond === -1 ? line : line.slice(0, beyond);
    },
  };
}
