import type { Program } from '../api/client-card.ts';
import type { MaybeAsync } from '../maybe-async.ts';
import type { OwnerId } from '../rule.ts';

/** What was found about clients, and when. */
export interface FoundClients {
  /** The store's time in milliseconds since the epoch. */
  readonly now: number;
  /** The announcements by the ids that were asked for. A client without one is missing. */
  readonly said: ReadonlyMap<string, string>;
}

/**
 * Where the clients of a store say who they are: beside the records of the synchronizers, and never in the way of an
 * acquisition. Every method may fail, and may never answer: the holds then have no names, and nothing else happens.
 */
export interface Announcements {
  /** How long an announcement stays unless it is repeated; Infinity where it ends with the session of its client. */
  readonly lastMs: number;
  /** Whether a fence of this store is the time of its grant in microseconds, as decision 5 has it. */
  readonly fencesAreTimes: boolean;
  /** False while a write is sure to fail: it would only fill the log of the server. True where the store does not say. */
  readonly isReady?: boolean;
  /** Writes or replaces what a client says about itself. */
  announce(client: string, said: string): MaybeAsync<void>;
  /** Takes it back, when the client closes. */
  retract(client: string): MaybeAsync<void>;
  find(clients: readonly string[]): MaybeAsync<FoundClients>;
  /** The client of an owner, where its id does not begin with the client's and a colon. */
  clientOf?(owner: OwnerId, kind: string): string | undefined;
  /** Which program an owner is of. The kind decides where layouts of several programs share a store. */
  programOf(owner: OwnerId, kind: string): Program;
}
