import type { Hold, HoldOptions } from './hold.ts';

/** How to campaign. */
export interface CampaignOptions<V> extends HoldOptions {
  /** What the leader publishes. */
  readonly value?: V;
}

/** The hold of the leader, for as long as it leads. */
export interface Leadership<V> extends Hold {
  /** What the leader published; null if it published nothing. */
  readonly value: V | null;
  /** Publishes another value; rejects with `LeaseLostError` if the hold was lost. */
  proclaim(value: V): Promise<void>;
  /** Ends the leadership: the same as `release`. */
  resign(): Promise<void>;
}

/** The leader, as the store shows it. */
export interface Leader<V> {
  /** What the leader published; null if it published nothing. */
  readonly value: V | null;
  readonly owner: string;
  readonly fence: bigint;
}

/**
 * One leader at a time, candidates in the order of their campaign.
 *
 * @example
 * ```ts
 * import { memory } from 'holdfast/memory';
 *
 * const election = memory().election<string>('scheduler');
 * await using leadership = await election.campaign({ value: 'pod-1' });
 * for await (const leader of election.observe()) {
 *   console.log(leader?.value); // pod-1
 *   break;
 * }
 * ```
 */
export interface Election<V> {
  readonly name: string;
  /** Waits to become the leader. */
  campaign(options?: CampaignOptions<V>): Promise<Leadership<V>>;
  /** The leader now; null if there is none. */
  leader(): Promise<Leader<V> | null>;
  /** How many candidates wait to become the leader. */
  candidates(): Promise<number>;
  /** The leader now and after each change; null while there is none. Quick changes may be seen as one. */
  observe(options?: { readonly signal?: AbortSignal }): AsyncIterableIterator<Leader<V> | null>;
}
