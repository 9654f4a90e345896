import type { OwnerId } from '../rule.ts';
import type { AcquireAsk, HolderView, HoldingVerbs } from './holding.ts';

export interface LockAsk extends AcquireAsk {
  /** How many fences to reserve: one for this owner and one for each local waiter it may be handed to. */
  readonly fences: number;
}

export type Forced =
  { readonly kind: 'forced'; readonly holder: HolderView } | { readonly kind: 'not-forced' };

/**
 * With a fence, only that very grant is broken, never a newer one; with an owner, only what it holds. The second is for
 * what other programs hold, who have no fence.
 */
export interface ForceAsk {
  readonly fence?: number;
  readonly owner?: OwnerId;
}

export interface RaiseAsk {
  readonly owner: string;
  readonly fence: number;
}

/** A quorum writes the highest fence back before its grant counts (soundness 11). */
export type Raised = { readonly kind: 'raised'; readonly upMs: number } | { readonly kind: 'gone' };

/** The verbs of a lock whose fence no client can raise: it is a number of the store's own. */
export type UnraisedLockVerbs = HoldingVerbs<LockAsk, never> & {
  readonly force: { readonly ask: ForceAsk; readonly answer: Forced };
};

export type LockVerbs = UnraisedLockVerbs & {
  readonly raise: { readonly ask: RaiseAsk; readonly answer: Raised };
};

/** One ticket of a line, and how long it is kept if its owner does not ask again. */
export interface PlaceView {
  readonly owner: OwnerId;
  readonly lapsesInMs: number;
}

export interface LockLook {
  readonly holder: HolderView | undefined;
  readonly waiters: number;
  /** Those who wait, where the store knows them; in the order of their turns if the lock is fair. */
  readonly line?: readonly PlaceView[];
}
