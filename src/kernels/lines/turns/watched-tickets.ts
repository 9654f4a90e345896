import type { LineName, TicketLine } from '../../../spi/engine/ticket-line.ts';
import type { Unwatch } from '../../../spi/engine/protocol.ts';
import type { OwnerId } from '../../../spi/rule.ts';

/** The tickets that one turn watches: those ahead while its owner waits, and its own. */
export class WatchedTickets {
  readonly #tickets: TicketLine;
  readonly #line: LineName;
  readonly #own: OwnerId;
  readonly #gone: (id: OwnerId) => void;
  readonly #watches = new Map<OwnerId, Unwatch>();
  /** Which set of watches is being placed; another number than at its beginning means that it is no longer wanted. */
  #round = 0;
  /** The caller looks for itself at what has gone. */
  #holdsBack = false;
  #hasMissed = false;
  #watchingOwn: Promise<boolean> | undefined;

  /** `gone` is called with each of them that has gone, once everything was watched. */
  constructor(tickets: TicketLine, line: LineName, own: OwnerId, gone: (id: OwnerId) => void) {
    this.#tickets = tickets;
    this.#line = line;
    this.#own = own;
    this.#gone = gone;
  }

  /** Whether the store would tell that the ticket of this turn has gone. */
  get hasOwn(): boolean {
    return this.#watches.has(this.#own);
  }

  /**
   * Watches exactly these, in one flight and in this order, and keeps the watch on its own ticket. False if one of them is gone.
   *
   * The race: one that is watched already may go while the watch on another one is on its way, or while the caller lists the line
   * because one was gone. Reported at once it would list the line beside the caller, who still decides on the old list, and both
   * would join again; so it is remembered, and answered with the rest, or by the list.
   */
  async watch(ids: readonly OwnerId[]): Promise<boolean> {
    const round = ++this.#round;
    this.#holdsBack = true;
    this.#hasMissed = false;
    this.#dropAllBut(new Set([this.#own, ...ids]));
    let areAllThere = true;
    try {
      const placed = await Promise.all(
        ids.filter((id) => !this.#watches.has(id)).map((id) => this.#place(id, round)),
      );
      areAllThere = placed.every(Boolean) && !this.#hasMissed;
      return areAllThere;
    } finally {
      if (areAllThere && round === this.#round) this.#holdsBack = false;
    }
  }

  /**
   * Whether its own ticket stands. The first call asks; from then on the store tells, and no call asks. Calls at the same time
   * are one request: a renewal may be due when the hold is a second old.
   */
  watchOwn(): Promise<boolean> {
    this.#watchingOwn ??= this.watch([this.#own]).finally(() => {
      this.#watchingOwn = undefined;
    });
    return this.#watchingOwn;
  }

  /** The owner is in: what was ahead no longer matters. */
  keepOwn(): void {
    this.#round++;
    this.#holdsBack = false;
    this.#dropAllBut(new Set([this.#own]));
  }

  /**
   * The ticket is about to leave, or gone. The watch on it goes with it: the tempting alternative takes the watch away, and sends
   * the server a request ahead of the very one that the next owner waits for.
   */
  clear(): void {
    this.keepOwn();
    this.#watches.clear();
  }

  async #place(id: OwnerId, round: number): Promise<boolean> {
    let hasGone = false;
    const unwatch = await this.#tickets.watch(this.#line, id, () => {
      hasGone = true;
      if (this.#watches.delete(id)) this.#reportGone(id);
    });
    if (unwatch === undefined || hasGone) return false;
    // Given up while it was on its way: nothing else would ever end it.
    if (round === this.#round) this.#watches.set(id, unwatch);
    else unwatch();
    return true;
  }

  #reportGone(id: OwnerId): void {
    if (this.#holdsBack) this.#hasMissed = true;
    else this.#gone(id);
  }

  #dropAllBut(wanted: ReadonlySet<OwnerId>): void {
    for (const [id, unwatch] of this.#watches) {
      if (wanted.has(id)) continue;
      this.#watches.delete(id);
      unwatch();
    }
  }
}
