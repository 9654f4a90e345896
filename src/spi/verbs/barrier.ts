import type { OwnerId } from '../rule.ts';
import type { LineView } from './line-view.ts';

/** Why a barrier broke. */
export type BreakReason = 'timeout' | 'aborted' | 'dead-party' | 'reset';

/** What a party asks when it arrives, and when it asks again. */
export interface ArriveAsk {
  readonly owner: OwnerId;
  readonly parties: number;
  /** How long a party counts as present without asking again. */
  readonly interestMs: number;
  /** False for every call after the first of one arrival: it only asks how it went, and never arrives twice. */
  readonly first: boolean;
}

/** How it stands with a party. */
export type Arrived =
  | { readonly kind: 'waiting'; readonly generation: number; readonly againInMs: number }
  /** `index` counts down: the last to arrive has 0. */
  | { readonly kind: 'tripped'; readonly generation: number; readonly index: number }
  | { readonly kind: 'broken'; readonly generation: number; readonly reason: BreakReason }
  | { readonly kind: 'mismatch'; readonly parties: number };

/** The verbs of the barrier. */
export type BarrierVerbs = {
  readonly arrive: { readonly ask: ArriveAsk; readonly answer: Arrived };
  /** A party that gives up breaks the barrier for all, unless it has tripped in the meantime. */
  readonly leave: {
    readonly ask: { readonly owner: OwnerId; readonly reason: 'timeout' | 'aborted' };
    readonly answer: Exclude<Arrived, { kind: 'waiting' | 'mismatch' }> | { readonly kind: 'absent' };
  };
  /** Starts a new generation; parties that wait for the old one learn that it is broken. */
  readonly reset: { readonly ask: object; readonly answer: { readonly generation: number } };
};

/** What a query shows of a barrier; `parties` is undefined before its first use. */
export interface BarrierLook {
  readonly parties: number | undefined;
  readonly generation: number;
  readonly waiting: number;
  /** The parties that have arrived. Absent where the store does not know them. */
  readonly line?: LineView;
  readonly broken: BreakReason | undefined;
}
