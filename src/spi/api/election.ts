import type { Hold, HoldOptions } from './hold.ts';

export interface CampaignOptions<V> extends HoldOptions {
  /** What the leader tells the others. */
  readonly value?: V;
}

/** The office of the leader, while it lasts. */
export interface Leadership<V> extends Hold {
  /** Null if none was given. */
  readonly value: V | null;
  /** Tells the others something new; rejects with `LeaseLostError` if no longer in office. */
  proclaim(value: V): Promise<void>;
  /** Steps down: the same as `release`. */
  resign(): Promise<void>;
}

export interface Leader<V> {
  /** Null if it gave none. */
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
  leader(): Promise<Leader<V> | null>;
  candidates(): Promise<number>;
  /** The leader now and after each change; null while there is none. Quick changes may be seen as one. */
  observe(options?: { readonly signal?: AbortSignal }): AsyncIterableIterator<Leader<V> | null>;
}
