import type { MaybeAsync } from '../maybe-async.ts';
import type { OwnerId, Verbs } from '../rule.ts';
import type { Renewed } from '../verbs/holding.ts';

/** Ends a watch. Safe to call twice. */
export type Unwatch = () => void;

/** What notifies an owner that a name may have changed. */
export interface Watchable {
  /**
   * Calls `heard` whenever a step wakes `owner`. It may call without cause, and after any gap (a reconnect) it calls
   * once; once the watch is answered it misses nothing. `handOff` is called instead, with the fence, if that step has granted
   * to the owner, as its request had offered; an owner that misses it learns it with its next request.
   */
  watch(
    name: string,
    owner: OwnerId,
    heard: () => void,
    handOff?: (fence: number) => void,
  ): MaybeAsync<Unwatch>;
  /**
   * Whether a watch would be in place at once, because this process has one for another waiter. To watch before the first
   * try is then cheaper than to try, watch and try again.
   */
  hears?(name: string): boolean;
  /**
   * Whether messages said that another client had it since this client last released it. False if that is not known.
   * Answered at once, and without asking the store: it spares a client that would yield (soundness 15) the time.
   */
  sawOtherHolder?(name: string): boolean;
}

/** One synchronizer of one engine as the core speaks to it: its verbs, a look, a watch. */
export type Protocol<V extends Verbs, L> = Watchable & {
  readonly [K in keyof V]: (name: string, ask: V[K]['ask']) => MaybeAsync<V[K]['answer']>;
} & {
  /** Reads without locking or changing anything. */
  look(name: string): MaybeAsync<L>;
} & Punctual;

/** An engine that answers at once, by the caller's own clock, has just looked at it: the caller need not look again. */
export interface Punctual {
  /** What the caller's clock showed when the last step was decided. */
  readonly decidedAt?: (() => number) | undefined;
}

/** One hold to be renewed. */
export interface Renewal<Ask> {
  readonly name: string;
  readonly ask: Ask;
}

/** How the renewal of one hold ended. One that fails spoils no other of its batch. */
export type RenewalOutcome = Renewed | { readonly kind: 'failed'; readonly error: unknown };

/** What can be renewed, in batches. */
export interface Renewable<Ask> {
  renewMany(renewals: readonly Renewal<Ask>[]): MaybeAsync<readonly RenewalOutcome[]>;
}

/** What a store's own layout asks of those who hold something there. */
export interface HoldingLayout {
  /** Makes the id of an acquisition where it must have another form than usual. Never the same twice. */
  readonly newOwner?: (() => OwnerId) | undefined;
  /** The store keeps no leases: one that ends must be given back by the client that was given it. */
  readonly leasesEndHere?: true | undefined;
  /** How many permits one acquisition may take, where the store keeps an entry for each. */
  readonly mostPermits?: number | undefined;
  /**
   * Programs of another make share the record of a hold and may cut its time in the store. Every hold is then looked
   * after, also one that is not renewed: the store restores what it had promised, or tells that the hold is gone.
   */
  readonly othersCutLeases?: true | undefined;
  /**
   * The store queues the waiter inside `acquire`, from its second attempt on, and answers when the thing is free or a while
   * is over: an attempt that is unanswered when the waiter's time ends is contention and no outage.
   */
  readonly attemptsWait?: true | undefined;
  /**
   * Where a line is kept: those of one process who come to it at the same time may stand at one place together, by asking
   * for as many fences. For stores to which the way is long.
   */
  readonly placesAreShared?: true | undefined;
}

/** The protocol of something that can be held. */
export type HoldingProtocol<
  V extends Verbs & { readonly renew: { readonly ask: object; readonly answer: Renewed } },
  L,
> = Protocol<V, L> & Renewable<V['renew']['ask']> & HoldingLayout;
