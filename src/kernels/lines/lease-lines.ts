import type { LineName, Listing, TicketLine } from '../../spi/engine/ticket-line.ts';
import { isUnknown } from './is-unknown.ts';

/** The kinds of the two lines of a semaphore of leases, for a layout that keeps them in different places. */
export const LEASE_LINES = { waiting: 'semaphore', leases: 'semaphoreLease' } as const;

/** Looks at the two lines of a semaphore of leases without a ticket in them. */
export class LeaseLines {
  readonly #tickets: TicketLine;

  constructor(tickets: TicketLine) {
    this.#tickets = tickets;
  }

  /** Whether so many permits are free, and no other owner waits for some. Shows all that any client had done before. */
  async hasRoom(name: string, { permits, total }: RoomAsk): Promise<boolean> {
    const [isAwaited, { tickets }] = await Promise.all([
      this.isAwaited(name, 'fresh'),
      this.#list({ kind: LEASE_LINES.leases, name }, 'fresh'),
    ]);
    return !isAwaited && tickets.length + permits <= total;
  }

  /** Whether an owner stands in front of the mutex. */
  async isAwaited(name: string, age?: 'fresh'): Promise<boolean> {
    return (await this.#list({ kind: LEASE_LINES.waiting, name }, age)).tickets.length > 0;
  }

  /** Twice if the answer was lost: nothing was changed, and the caller would take the failure for that of its acquisition. */
  async #list(line: LineName, age?: 'fresh'): Promise<Listing> {
    try {
      return await this.#tickets.list(line, age);
    } catch (error) {
      if (!isUnknown(error)) throw error;
      return this.#tickets.list(line, age);
    }
  }
}

interface RoomAsk {
  readonly permits: number;
  readonly total: number;
}
