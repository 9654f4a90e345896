import type { LineName, TicketLine } from '../../spi/engine/ticket-line.ts';
import type { Unwatch } from '../../spi/engine/protocol.ts';
import type { OwnerId } from '../../spi/rule.ts';

/** The tickets ahead that one waiter watches. */
export class WatchedTickets {
  readonly #tickets: TicketLine;
  readonly #line: LineName;
  readonly #left: () => void;
  readonly #watches = new Map<OwnerId, Unwatch>();
  /** Which set of watches is being placed; another number than at its beginning means that it is no longer wanted. */
  #round = 0;
  #isPlacing = false;
  #hasMissed = false;

  /** `left` is called when one of them has gone, once everything was watched. */
  constructor(tickets: TicketLine, line: LineName, left: () => void) {
    this.#tickets = tickets;
    this.#line = line;
    this.#left = left;
  }

  /**
   * Watches exactly these. False if one of them is gone.
   *
   * The race: one that is watched already may go while the watch on another one is on its way. Reported at once it would list the
   * line beside the caller, who still decides on the old list; so it is remembered, and answered with the rest.
   */
  async watch(ids: readonly OwnerId[]): Promise<boolean> {
    const round = ++this.#round;
    this.#isPlacing = true;
    this.#hasMissed = false;
    const wanted = new Set(ids);
    for (const [id, unwatch] of this.#watches) if (!wanted.has(id)) this.#drop(id, unwatch);
    try {
      const placed = await Promise.all(
        ids.filter((id) => !this.#watches.has(id)).map((id) => this.#place(id, round)),
      );
      return placed.every(Boolean) && !this.#hasMissed;
    } finally {
      if (round === this.#round) this.#isPlacing = false;
    }
  }

  clear(): void {
    this.#round++;
    this.#isPlacing = false;
    for (const [id, unwatch] of this.#watches) this.#drop(id, unwatch);
  }

  async #place(id: OwnerId, round: number): Promise<boolean> {
    let hasGone = false;
    const unwatch = await this.#tickets.watch(this.#line, id, () => {
      hasGone = true;
      if (this.#watches.delete(id)) this.#reportGone();
    });
    if (unwatch === undefined || hasGone) return false;
    // Given up while it was on its way: nothing else would ever end it.
    if (round === this.#round) this.#watches.set(id, unwatch);
    else unwatch();
    return true;
  }

  #reportGone(): void {
    if (this.#isPlacing) this.#hasMissed = true;
    else this.#left();
  }

  #drop(id: OwnerId, unwatch: Unwatch): void {
    this.#watches.delete(id);
    unwatch();
  }
}
