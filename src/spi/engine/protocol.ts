import type { MaybeAsync } from '../maybe-async.ts';
import type { OwnerId, Verbs } from '../rule.ts';
import type { Renewed } from '../verbs/holding.ts';
import type { ProtocolTraits } from './protocol-traits.ts';

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
}

/** One synchronizer of one engine as the core speaks to it: its verbs, a look, a watch. */
export type Protocol<V extends Verbs, L> = Watchable & {
  readonly [K in keyof V]: (name: string, ask: V[K]['ask']) => MaybeAsync<V[K]['answer']>;
} & {
  /** Reads without locking or changing anything. */
  look(name: string): MaybeAsync<L>;
};

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

/** The protocol of something that can be held. */
export type HoldingProtocol<
  V extends Verbs & { readonly renew: { readonly ask: object; readonly answer: Renewed } },
  L,
> = Protocol<V, L> & Renewable<V['renew']['ask']> & { readonly traits: ProtocolTraits };
