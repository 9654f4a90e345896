import type { OwnerId } from '../rule.ts';

/** The grant, or the one that already stands for this owner. `remainingMs` counts from the engine's decision. */
export interface Granted {
  readonly kind: 'granted';
  /** The first fence of the block. */
  readonly fence: number;
  /** How many fences, from `fence` on, belong to this grant. */
  readonly fences: number;
  readonly remainingMs: number;
  /** How many owners of other clients were waiting and got nothing. Absent where that is not known. */
  readonly passedOver?: number;
  /** See {@link Renewed}: the record that this hold joined was to end so soon. Absent where no other program cuts it. */
  readonly cutToMs?: number;
}

/** Another owner is in. `againInMs`: the earliest time the rule could answer differently with no further step. */
export interface Busy {
  readonly kind: 'busy';
  readonly againInMs: number;
  /** Set where the store was not asked, because another waiter of this process stands before this one. */
  readonly behind?: Owing | undefined;
}

/** Another request, of which those who wait for it see whether the store answers. */
export interface Owing {
  /** Since when the store owes the answer, by the client's clock; undefined while it owes none. */
  owedSince(): number | undefined;
  /** What the store refused the request with for lack of room; undefined unless that was its last answer. */
  fullStore?(): Error | undefined;
}

/** `others`: how many owners of other clients were waiting; a busy client yields to them (soundness 15). */
export type Released = { readonly kind: 'released'; readonly others: number } | { readonly kind: 'not-held' };

export type Renewed =
  | {
      readonly kind: 'renewed';
      readonly remainingMs: number;
      /**
       * Another program that shares the record had cut its time to so much, and may do so again at any time
       * (`othersCutLeases`). The renewal has restored it.
       */
      readonly cutToMs?: number;
    }
  | { readonly kind: 'gone' };

/** What every acquisition says. */
export interface AcquireAsk {
  readonly owner: OwnerId;
  readonly leaseMs: number;
  /** Whether to join the line when it is not free now; a single attempt leaves no trace. */
  readonly wait: boolean;
  /** How long a place in line is kept without being asked for again. */
  readonly interestMs: number;
  /**
   * An offer: the owner watches, so a release may hand off to it and send it the fence, where the store can do that.
   * The lock is then never free while the message and the next request travel. The lease counts from the first such
   * request, so a release hands off neither to a waiter that has waited for most of a third of it, nor with a lease that is
   * not renewed.
   */
  readonly handOff?: boolean;
  /** The owner of a hold that this one belongs to, and does not wait for: the read side taken under a write. */
  readonly under?: OwnerId;
}

export interface OwnerAsk {
  readonly owner: OwnerId;
}

export interface RenewAsk {
  readonly owner: OwnerId;
  /** At least this much remains afterwards; never shortens (soundness 4). */
  readonly leaseMs: number;
}

/** The verbs that everything which can be held has in common, so that one wait loop and one keeper serve all. */
export type HoldingVerbs<Ask extends AcquireAsk, Refusal> = {
  readonly acquire: { readonly ask: Ask; readonly answer: Granted | Busy | Refusal };
  /** Gives back the hold, or the place in line: a waiter that leaves need not know which of the two it has. */
  readonly release: { readonly ask: OwnerAsk; readonly answer: Released };
  readonly renew: { readonly ask: RenewAsk; readonly answer: Renewed };
};

/** A holder as a query shows it. */
export interface HolderView {
  readonly owner: OwnerId;
  readonly fence: number;
  readonly remainingMs: number;
}
