import type { News } from '../../../spi/engine/documents.ts';
import type { MaybeAsync } from '../../../spi/maybe-async.ts';
import type { Unwatch } from '../../../spi/engine/protocol.ts';
import type { DeadOwners, OwnerId } from '../../../spi/rule.ts';
import type { RowNotice } from '../dialects/dialect.ts';

/** A change that wakes a waiter. */
export interface Notified {
  readonly kind: string;
  readonly name: string;
  readonly wake: string;
  readonly version: string;
  /** The new state, unless it contains data of the user. */
  readonly document: string | undefined;
}

/** Tells the waiters of this client of changes, and of dead owners where the database can prove a death. */
export interface ChangeFeed {
  /** See `Watchable`: may call without cause, and misses nothing once it has returned. */
  watch(kind: string, name: string, owner: OwnerId, heard: () => void): MaybeAsync<Unwatch>;
  /** The number of this client's waiters for a name. */
  watching(kind: string, name: string): number;
  /**
   * The version of this row at the last look, if no wake-up was reported since: as long as a client watches the name, no change
   * after that version has woken a waiter unnoticed.
   */
  seen(kind: string, name: string): string | undefined;
  /** The owners known to be dead, for a decision about this name. */
  dead(kind: string, name: string): DeadOwners;
  /** Calls `told` whenever a row may have changed, with its name if it is known. */
  changes(
    told: (changed: { readonly kind: string; readonly name: string } | undefined) => void,
  ): MaybeAsync<Unwatch>;
  /** Where messages carry the new state of a row: calls `heard` with it, for rows that this client watches. */
  news?(heard: News): void;
  /** The message that reports a change that wakes a waiter. Undefined where the database sends none. */
  notice?(change: Notified): RowNotice;
  close(): Promise<void> | void;
}
