import type { LineTicket } from '../spi/engine/ticket-line.ts';
import type { OwnerId } from '../spi/rule.ts';

/** How a ticket stands in its line. */
export type Standing =
  | { readonly kind: 'in' }
  /**
   * Not in as long as all of these stand. Whichever of them goes first, the line is to be listed again: the client may be
   * in, or have others to watch.
   */
  | {
      readonly kind: 'behind';
      readonly watch: readonly OwnerId[];
      /** Whether the client is in as soon as any one of these has gone, whatever has joined since: it need not list the line again. */
      readonly isNext: boolean;
    }
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

function behind(watch: readonly LineTicket[], isNext: boolean): Standing {
  return { kind: 'behind', watch: watch.map(({ id }) => id), isNext };
}

/** The ticket of this id: the first, should a repeated join have made two. */
function own(tickets: readonly LineTicket[], id: OwnerId): LineTicket | undefined {
  let first: LineTicket | undefined;
  for (const ticket of tickets) {
    if (ticket.id === id && (first === undefined || ticket.order < first.order)) first = ticket;
  }
  return first;
}

/** The nearest ticket ahead that counts, and whether no other one does. */
interface Nearest {
  readonly ticket: LineTicket;
  readonly isAlone: boolean;
}

function nearestAhead(
  tickets: readonly LineTicket[],
  { order }: LineTicket,
  counts: (ticket: LineTicket) => boolean = () => true,
): Nearest | undefined {
  let nearest: LineTicket | undefined;
  let count = 0;
  for (const ticket of tickets) {
    if (ticket.order >= order || !counts(ticket)) continue;
    count++;
    if (nearest === undefined || ticket.order > nearest.order) nearest = ticket;
  }
  return nearest && { ticket: nearest, isAlone: count === 1 };
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
    return ahead === undefined ? IN : behind([ahead.ticket], ahead.isAlone);
  },
  holders: (tickets) => inOrder(tickets).slice(0, 1),
};

/**
 * Many readers or one writer, in the order of the line. A writer waits for the ticket directly ahead, of either side. A reader
 * waits for the writers ahead alone, and watches the last of them: while it stands there is a writer ahead, however many of the
 * others go. A read that joined under a write shares its position, so the write is not ahead of it.
 *
 * The race: a writer waits for one write alone, whose owner takes the read side under it and gives back the write. The read is
 * ahead of the writer though it joined later. So a writer behind a write is never next; a reader is, because no read is in its way.
 */
export const readWriteLine: LineRule = {
  standing: (tickets, id) => {
    const ticket = own(tickets, id);
    if (ticket === undefined) return ABSENT;
    const ahead = nearestAhead(tickets, ticket, writes(ticket) ? undefined : writes);
    if (ahead === undefined) return IN;
    const mayBeJoined = writes(ticket) && writes(ahead.ticket);
    return behind([ahead.ticket], ahead.isAlone && !mayBeJoined);
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
      const ahead = inOrder(tickets.filter(({ order }) => order < ticket.order));
      const all = ahead.reduce((sum, one) => sum + permitsOf(one), 0);
      const watch: LineTicket[] = [];
      let taken = 0;
      let least = Infinity;
      for (const one of ahead.toReversed()) {
        watch.push(one);
        taken += permitsOf(one);
        least = Math.min(least, permitsOf(one));
        if (taken > room) return behind(watch, all - least <= room);
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
