import type { OwnerId } from '../rule.ts';

/** The owner is granted, or was granted before. `remainingMs` counts from the engine's decision. */
export interface Granted {
  readonly kind: 'granted';
  /** The first fence of the block. */
  readonly fence: number;
  /** How many fences, from `fence` on, belong to this grant. */
  readonly fences: number;
  readonly remainingMs: number;
  /** How many owners of other clients wait on. Absent where the store does not know. */
  readonly passedOver?: number;
  /** See {@link Renewed}: the record that this hold joined was to end so soon. Absent where no other program cuts it. */
  readonly cutToMs?: number;
}

/** Another owner holds. `againInMs`: the earliest time the rule could answer differently with no further step. */
export interface Busy {
  readonly kind: 'busy';
  readonly againInMs: number;
  /**
   * Set if this owner waits without asking the store: another waiter of this process asks before it, or its ticket is watched
   * and the heartbeats of the session ask.
   */
  readonly behind?: Owing | undefined;
}

/** Another request, by which the waiters behind it see whether the store answers. */
export interface Owing {
  /** Since when the store owes the answer, by the client's clock; undefined while it owes none. */
  owedSince(): number | undefined;
  /** What the store refused the request with for lack of room; undefined unless that was its last answer. */
  fullStore?(): Error | undefined;
  /** Calls the follower once: when the store has answered, or when the request or the line has ended. Returns a function that ends it. */
  follow(follower: Follower): () => void;
}

/**
 * What became of a request that others of its process follow.
 *
 * - `busy`: the store has answered it, so the thing is not free.
 * - `silent`: it ended because the store gave no answer.
 * - `clear`: the store has answered, and the thing may be free: a follower asks for itself.
 * - `left`: its caller gave up before the answer.
 */
export type RequestEnd = 'busy' | 'silent' | 'clear' | 'left';

/** Hears what became of the request that it follows. */
export type Follower = (end: RequestEnd) => void;

/** `others`: how many owners of other clients were waiting; a busy client yields to them (soundness 15). */
export type Released = { readonly kind: 'released'; readonly others: number } | { readonly kind: 'not-held' };

/** What became of a renewal. */
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
  /** How long the store keeps a ticket whose owner does not ask again. */
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

/** An ask that names its owner and nothing else. */
export interface OwnerAsk {
  readonly owner: OwnerId;
}

/**
 * How long a hold is to last at least, counted by the store from its grant: a release before that only sets its end. `fence` is
 * the first of the grant, and with it the time of the grant: no fence is behind the store's microseconds.
 */
export interface MinHold {
  readonly ms: number;
  readonly fence: number;
}

/** What a release asks. Without `minHold` the hold ends at once; only locks are asked for one. */
export interface ReleaseAsk extends OwnerAsk {
  readonly minHold?: MinHold;
}

/** What a renewal asks. */
export interface RenewAsk {
  readonly owner: OwnerId;
  /** At least this much remains afterwards; never shortens (soundness 4). */
  readonly leaseMs: number;
  /**
   * A re-entry asks that the hold lasts at least so long from now on, whatever becomes of its owner. Not longer than `leaseMs`;
   * only locks are asked for it.
   */
  readonly minHoldMs?: number;
}

/** The verbs of every kind that can be held: one wait loop and one keeper serve all. */
export type HoldingVerbs<Ask extends AcquireAsk, Refusal> = {
  readonly acquire: { readonly ask: Ask; readonly answer: Granted | Busy | Refusal };
  /** Ends the hold, or the ticket: a waiter that leaves need not know which of the two it has. */
  readonly release: { readonly ask: ReleaseAsk; readonly answer: Released };
  readonly renew: { readonly ask: RenewAsk; readonly answer: Renewed };
};

/** A holder as a query shows it. */
export interface HolderView {
  readonly owner: OwnerId;
  readonly fence: number;
  readonly remainingMs: number;
  /** Under which its client announces itself, where the id of the owner does not begin with it. */
  readonly clientId?: string;
  /** Since when, in milliseconds since the epoch by the store's clock, where the store keeps that. */
  readonly since?: number;
}
