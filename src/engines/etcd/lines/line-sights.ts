import { StoreFullError } from '../../../core/failures/store-full-error.ts';
import { EngineError } from '../../../spi/errors.ts';
import type { OwnerId } from '../../../spi/rule.ts';
import { OwnPlaces } from './own-places.ts';

/** A ticket as a list has shown it last. */
export interface TicketSight {
  readonly key: string;
  readonly createRevision: bigint;
  /** The revision at which it stood. */
  readonly seenAt: bigint;
}

interface LineSightings {
  /** The youngest list. */
  revision: bigint;
  readonly tickets: Map<OwnerId, TicketSight>;
  /** The tickets that this client has in the line: without one it watches none. */
  readonly own: OwnPlaces;
}

/**
 * What lists have shown of the lines in which this client stands, so that a watch can begin where the list ended. A ticket that a
 * younger list does not show is gone, also for a caller that still decides on an older one.
 */
export class LineSights {
  readonly #lines = new Map<string, LineSightings>();
  /** Tickets of this client that were never made, until they are given up. */
  readonly #refused = new Set<OwnerId>();
  /** The youngest revision that an answer was of. */
  #latest = 0n;

  /** A ticket of this client may stand from now on. */
  begin(prefix: string, id: OwnerId): void {
    const line = this.#lines.get(prefix) ?? { revision: 0n, tickets: new Map(), own: new OwnPlaces() };
    line.own.take(id, this.#latest);
    this.#lines.set(prefix, line);
  }

  /** No ticket of this id stands, and none can come any more. */
  end(prefix: string, id: OwnerId): void {
    const line = this.#lines.get(prefix);
    if (line?.own.free(id) !== true || !line.own.isEmpty) return;
    this.#lines.delete(prefix);
  }

  /** Each answer that shows a ticket, or that it is gone, is noted before the end of the ticket. */
  note(revision: bigint): void {
    if (revision > this.#latest) this.#latest = revision;
  }

  /** The place of an own ticket, from {@link begin} to {@link end}. */
  placeOf(prefix: string, id: OwnerId): string | undefined {
    return this.#lines.get(prefix)?.own.placeOf(id);
  }

  /** The own ticket at a place, if this key was created for it. */
  ownerAt(prefix: string, place: string, createRevision: bigint): OwnerId | undefined {
    return this.#lines.get(prefix)?.own.ownerAt(place, createRevision);
  }

  /**
   * Remembers of a join that its only copy was refused for sure: there is nothing to take away. The tempting alternative takes it away as
   * one whose answer was lost. A store that forbids the line refuses that as well, and each acquisition would repeat for minutes what
   * cannot succeed.
   *
   * Not of one that found no room: an owner that waits makes it again.
   */
  async join<T>(prefix: string, id: OwnerId, join: () => Promise<T>): Promise<T> {
    const isFirst = !this.isOwn(prefix, id);
    try {
      return await join();
    } catch (error) {
      const isFull = error instanceof StoreFullError;
      if (isFirst && error instanceof EngineError && (isFull || !error.retryable)) {
        this.end(prefix, id);
        if (!isFull) this.#refused.add(id);
      }
      throw error;
    }
  }

  /** Whether there is nothing to give up. Asked once. */
  wasRefused(id: OwnerId): boolean {
    return this.#refused.delete(id);
  }

  isOwn(prefix: string, id: OwnerId): boolean {
    return this.#lines.get(prefix)?.own.has(id) === true;
  }

  get(prefix: string, id: OwnerId): TicketSight | undefined {
    return this.#lines.get(prefix)?.tickets.get(id);
  }

  /**
   * Remembers a list. The race: calls are answered in any order, and an older list comes behind a younger one. It has nothing to add: what
   * it alone shows is gone.
   */
  record(prefix: string, revision: bigint, tickets: ReadonlyMap<OwnerId, TicketSight>): void {
    this.note(revision);
    const line = this.#lines.get(prefix);
    if (line === undefined || revision < line.revision) return;
    line.revision = revision;
    line.tickets.clear();
    for (const [id, sight] of tickets) line.tickets.set(id, sight);
  }

  /** The session has ended. The next one has a client id of its own, and so other places; its store may have been restored to an earlier revision. */
  clear(): void {
    this.#latest = 0n;
    this.#lines.clear();
    this.#refused.clear();
  }
}
