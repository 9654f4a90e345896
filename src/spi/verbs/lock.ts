import type { OwnerId } from '../rule.ts';
import type { AcquireAsk, HolderView, HoldingVerbs } from './holding.ts';
import type { LineView } from './line-view.ts';

/** What an acquisition of a lock asks. */
export interface LockAsk extends AcquireAsk {
  /** How many fences to reserve: one for this owner, and one for each local waiter that a hand-over may reach. */
  readonly fences: number;
  /** The hold lasts at least so long, whatever becomes of its owner. */
  readonly minHoldMs?: number;
}

/** Whether a hold was broken, and whose. */
export type Forced =
  { readonly kind: 'forced'; readonly holder: HolderView } | { readonly kind: 'not-forced' };

/**
 * Which hold to break. With a fence, only that very grant, never a newer one; with an owner, only what that owner holds, for
 * holds of other programs, which have no fence.
 */
export interface ForceAsk {
  readonly fence?: number;
  readonly owner?: OwnerId;
}

/** Which fence a record must exceed from now on. */
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

/** The verbs of the lock. */
export type LockVerbs = UnraisedLockVerbs & {
  readonly raise: { readonly ask: RaiseAsk; readonly answer: Raised };
};

/** What a query shows of a lock. */
export interface LockLook {
  readonly holder: HolderView | undefined;
  readonly waiters: number;
  /** Absent where the store does not know who waits. */
  readonly line?: LineView;
}
