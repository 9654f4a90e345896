import { subjectOf } from '../../core/arguments.ts';
import type { LineName, Listing } from '../../spi/engine/ticket-line.ts';
import { SessionEndedError } from '../../spi/errors.ts';
import { isUnknown } from './turns/is-unknown.ts';
import type { LineContext } from './line-context.ts';

/** The kinds of the two lines of a semaphore of leases, for a layout that keeps them in different places. */
export const LEASE_LINES = { waiting: 'semaphore', leases: 'semaphoreLease' } as const;

/** Looks at the two lines of a semaphore of leases without a ticket in them. */
export class LeaseLines {
  readonly #context: LineContext;

  constructor(context: LineContext) {
    this.#context = context;
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

  /**
   * Lists again if the answer was lost: nothing was changed, and the caller would take the failure for that of its acquisition.
   *
   * The race: the session ends while a list is under way. Its owner starts again in the next session, as one whose ticket was
   * under way does, so both have to end alike; a list that said no more than that it failed would reject the acquisition.
   */
  async #list(line: LineName, age?: 'fresh'): Promise<Listing> {
    const { client, tickets } = this.#context;
    const { generation } = client.ids;
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        return await tickets.list(line, age);
      } catch (error) {
        if (generation !== client.ids.generation)
          throw new SessionEndedError(subjectOf(LEASE_LINES.waiting, line.name, client.label));
        if (isRepeated || !isUnknown(error)) throw error;
      }
    }
  }
}

interface RoomAsk {
  readonly permits: number;
  readonly total: number;
}
