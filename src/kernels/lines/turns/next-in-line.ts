import type { Standing } from '../../../rules/line.ts';
import type { LineName, Listing } from '../../../spi/engine/ticket-line.ts';
import type { OwnerId } from '../../../spi/rule.ts';
import type { LineContext } from '../line-context.ts';
import type { WatchedTickets } from './watched-tickets.ts';

/** The line as the store showed it, and over which connection. */
export interface LineSight {
  readonly listing: Listing;
  readonly connection: number | undefined;
}

/**
 * Tells an owner that it is in when a watched ticket goes, without another list: that would be a round trip in every hand-over.
 *
 * It is in when the last list showed that nothing else is ahead: no later ticket joins ahead of one that stands, and its own
 * ticket keeps the line, and with it the count of the line, from being deleted. What a list would show beside that:
 * - Its own ticket was deleted by hand, and the owner behind it is in. The watch on its own ticket is placed first, so the store
 *   has told of that before it tells that the ticket ahead has gone.
 * - The connection broke meanwhile: a store tells in any order what went while it could not tell.
 * - The session is past its deadline, and its tickets may be gone with it.
 * - The ticket ahead is of the same session, which an operator has ended: both go in one step, and are reported in any order.
 */
export class NextInLine {
  readonly #context: LineContext;
  readonly #line: LineName;
  readonly #owner: OwnerId;
  readonly #watched: WatchedTickets;
  /** Over which connection the list came that showed nothing but watched tickets ahead. */
  #connection: number | undefined;

  constructor(context: LineContext, line: LineName, owner: OwnerId, watched: WatchedTickets) {
    this.#context = context;
    this.#line = line;
    this.#owner = owner;
    this.#watched = watched;
  }

  /**
   * Notes the connection before the request: the answer comes over the connection that the request went over. Noted with the
   * answer it could be the next one.
   */
  async list(): Promise<LineSight> {
    this.#connection = undefined;
    const { connection } = this.#context.session;
    return { listing: await this.#context.tickets.list(this.#line), connection };
  }

  /** Watches what is ahead. False if some of it has gone before all was watched. */
  watch(
    { watch, isNext }: Standing & { kind: 'behind' },
    { listing, connection }: LineSight,
  ): Promise<boolean> {
    const { tickets } = this.#context;
    // Where the fence is the revision of a list (etcd), no owner is in without one.
    const isEnough =
      isNext && listing.revision === undefined && !watch.some((id) => tickets.isOwn(this.#line, id));
    this.#connection = isEnough ? connection : undefined;
    // An own ticket that is deleted by hand is missed otherwise for as long as the one ahead stands: others join ahead of this owner.
    const watchesOwn = isEnough || listing.revision !== undefined;
    return this.#watched.watch(watchesOwn ? [this.#owner, ...watch] : watch);
  }

  /** Whether the owner is in, now that a watched ticket has gone. */
  get isIn(): boolean {
    if (this.#connection === undefined || !this.#watched.hasOwn) return false;
    return this.#connection === this.#context.session.connection;
  }
}
