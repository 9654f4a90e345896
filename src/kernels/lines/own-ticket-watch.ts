import type { Unwatch } from '../../spi/engine/protocol.ts';
import type { LineName, TicketLine } from '../../spi/engine/ticket-line.ts';
import type { OwnerId } from '../../spi/rule.ts';

/** The watch on the ticket of a hold. It costs one request, and a hold that ends within a second never places it. */
export class OwnTicketWatch {
  readonly #tickets: TicketLine;
  readonly #line: LineName;
  readonly #owner: OwnerId;
  readonly #whenGone: () => void;
  #watching: Promise<Unwatch | undefined> | undefined;

  constructor(tickets: TicketLine, line: LineName, owner: OwnerId, whenGone: () => void) {
    this.#tickets = tickets;
    this.#line = line;
    this.#owner = owner;
    this.#whenGone = whenGone;
  }

  /** False if the store no longer has the ticket. Asks with the first call only, and again after a call that failed. */
  async watch(): Promise<boolean> {
    this.#watching ??= this.#tickets.watch(this.#line, this.#owner, this.#whenGone);
    const watching = this.#watching;
    try {
      return (await watching) !== undefined;
    } catch (error) {
      if (this.#watching === watching) this.#watching = undefined;
      throw error;
    }
  }

  clear(): void {
    const watching = this.#watching;
    this.#watching = undefined;
    watching?.then(
      (unwatch) => unwatch?.(),
      () => undefined,
    );
  }
}
