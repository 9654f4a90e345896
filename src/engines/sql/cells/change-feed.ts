import type { News } from '../../../spi/engine/documents.ts';
import type { MaybeAsync } from '../../../spi/maybe-async.ts';
import type { Unwatch } from '../../../spi/engine/protocol.ts';
import type { DeadOwners, OwnerId } from '../../../spi/rule.ts';
import type { RowNotice } from '../dialects/dialect.ts';

/** A change that lets somebody in. */
export interface Notified {
  readonly kind: string;
  readonly name: string;
  readonly wake: string;
  readonly version: string;
  /** What it has become, unless that is not for those who listen. */
  readonly document: string | undefined;
}

/** How those who wait on a database hear of changes, and of deaths where these can be proven. */
export interface ChangeFeed {
  /** See `Watchable`: may call without cause, misses nothing once it is answered. */
  watch(kind: string, name: string, owner: OwnerId, heard: () => void): MaybeAsync<Unwatch>;
  /** How many of this client wait for this name. */
  watching(kind: string, name: string): number;
  /**
   * The version of this row at the last look for wake-ups, if there was none since: as long as a client watches the name,
   * nothing that lets it in has happened to that version unheard.
   */
  seen(kind: string, name: string): string | undefined;
  /** Who is known to be dead, for a decision about this name. */
  dead(kind: string, name: string): DeadOwners;
  /** Calls whenever anything may have changed: the name if it is known. */
  changes(
    told: (changed: { readonly kind: string; readonly name: string } | undefined) => void,
  ): MaybeAsync<Unwatch>;
  /** Where messages tell what has become of a row: has it told, for rows that somebody here waits for. */
  news?(heard: News): void;
  /** The message that tells of a change which lets somebody in. Undefined where the database sends none. */
  notice?(change: Notified): RowNotice;
  close(): Promise<void> | void;
}
