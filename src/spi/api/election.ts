import type { Hold, HoldOptions } from './hold.ts';

/** How to campaign. */
export interface CampaignOptions<V> extends HoldOptions {
  /** What the leader publishes. */
  readonly value?: V;
}

/** How to lead again and again. */
export interface LeadOptions<V> {
  /** What the leader publishes, in each of its turns. */
  readonly value?: V;
  /** Ends the `lead` when it aborts: at once while it waits, and after `fn` has settled while it leads. */
  readonly signal?: AbortSignal;
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
  /** The id of the leader in the store. */
  readonly owner: string;
  /** The fence of the leadership: larger than that of every earlier leader. */
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
  /** The name of the election. */
  readonly name: string;
  /** Waits to become the leader. */
  campaign(options?: CampaignOptions<V>): Promise<Leadership<V>>;
  /**
   * Leads whenever it can, until `signal` aborts: campaigns, calls `fn`, resigns when `fn` has settled, campaigns again.
   *
   * `fn` gets a signal that aborts when the leadership is lost or the caller stops, and the leadership itself. It leads until it
   * returns: the other candidates come before its next turn, which begins at least 1 s after this one began. What it throws
   * ends the `lead`, unless its signal has aborted and it throws the reason or an `AbortError`.
   *
   * Resolves when `signal` has aborted. While the store is away it goes on campaigning, and reports each failure as `trouble`.
   * Rejects with what `fn` throws, with a `ClosedError`, and with errors that no further campaign can mend.
   *
   * @example
   * ```ts
   * import { setTimeout } from 'node:timers/promises';
   * import { memory } from 'holdfast/memory';
   *
   * const stop = new AbortController(); // process.once('SIGTERM', () => stop.abort());
   * await memory()
   *   .election('scheduler')
   *   .lead(
   *     async (signal, { fence }) => {
   *       console.log('leads', fence > 0n); // leads true
   *       stop.abort();
   *       await setTimeout(60_000, undefined, { signal }); // until the next piece of work
   *     },
   *     { signal: stop.signal, value: 'pod-1' },
   *   );
   * ```
   */
  lead(
    fn: (signal: AbortSignal, leadership: Leadership<V>) => unknown,
    options?: LeadOptions<V>,
  ): Promise<void>;
  /** The leader now; null if there is none. */
  leader(): Promise<Leader<V> | null>;
  /** How many candidates wait to become the leader. */
  candidates(): Promise<number>;
  /** The leader now and after each change; null while there is none. Quick changes may be seen as one. */
  observe(options?: { readonly signal?: AbortSignal }): AsyncIterableIterator<Leader<V> | null>;
}
