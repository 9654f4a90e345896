/** What stands behind a hold. */
export interface Footing {
  /** The path of its node. */
  readonly ticket: string;
  readonly session: bigint | undefined;
}

/**
 * The tickets and sessions that a test has ended by force. The servers let the next owner in at once, and the holder hears of it
 * a little later: the failover table of `docs/engines/zookeeper.md` promises no more.
 *
 * Each is added before the request that ends it leaves. The tempting alternative notes the time, and excuses all holders that
 * entered before it. The races: a holder enters while the request is on its way; or its ticket goes between its grant and its
 * entering, and it enters beside the next one. Both would count as overlaps. And an overlap of two other clients would not.
 */
export class ForcedEnds {
  readonly #ended = new Set<string | bigint>();

  add(ticketOrSession: string | bigint): void {
    this.#ended.add(ticketOrSession);
  }

  has({ ticket, session }: Footing): boolean {
    return this.#ended.has(ticket) || (session !== undefined && this.#ended.has(session));
  }

  /** Every client has worked since: a session that still lives was not ended, because the request for it got lost. */
  forget(): void {
    this.#ended.clear();
  }
}
