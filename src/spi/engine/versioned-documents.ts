import type { MaybeAsync } from '../maybe-async.ts';
import type { Unwatch } from './protocol.ts';

/** A document as a store without a clock keeps it. */
export interface VersionedDocument {
  /** Undefined if there is no document. */
  readonly version: string | undefined;
  readonly state: unknown;
  /** What the history of the store had reached when it was read (a zxid, a revision): grows with every change of anything. */
  readonly revision: number;
}

/**
 * Named documents in a store that compares versions and knows no time, but knows sessions: ZooKeeper (`setData` with a version),
 * etcd (a transaction on `mod_revision`). What an owner has in a document counts until the session of its client has ended.
 *
 * A method that rejects with a retryable `EngineError` leaves its outcome unknown; one that rejects otherwise, or with a
 * `StoreFullError`, has done nothing.
 */
export interface VersionedDocuments {
  read(kind: string, name: string): Promise<VersionedDocument>;
  /**
   * Replaces the document if it has the expected version; undefined: if there is none. No version comes twice for a name
   * (soundness 7): a store that counts from zero again for a document that is made anew must never drop one.
   */
  write(
    kind: string,
    name: string,
    expected: string | undefined,
    state: unknown,
  ): Promise<'written' | 'conflict'>;
  /** From now on this client lives as long as the current session does. Called before the client is named in any document. */
  enter(client: string): Promise<void>;
  /** Which of these clients live. One that is missing has entered before, and is dead for good. */
  living(clients: readonly string[]): Promise<ReadonlySet<string>>;
  /** Calls after every change of the document, and when a client has died that it may name. May call without cause. */
  watch(kind: string, name: string, heard: () => void): MaybeAsync<Unwatch>;
}
