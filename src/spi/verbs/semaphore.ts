import type { AcquireAsk, HolderView, HoldingVerbs } from './holding.ts';
import type { LineView } from './line-view.ts';

/** What an acquisition of permits asks. */
export interface SemaphoreAsk extends AcquireAsk {
  /** How many permits to acquire together. */
  readonly permits: number;
  /** How many there are in all, as the client opened the semaphore with. */
  readonly total: number;
}

/** The semaphore exists with another number of permits. */
export interface TotalMismatch {
  readonly kind: 'mismatch';
  readonly total: number;
}

/** The verbs of the semaphore. */
export type SemaphoreVerbs = HoldingVerbs<SemaphoreAsk, TotalMismatch>;

/** What a query shows of a semaphore. */
export interface SemaphoreLook {
  /** Undefined before its first use. */
  readonly total: number | undefined;
  readonly taken: number;
  /** How many are left, where the store knows only that. */
  readonly free?: number | undefined;
  readonly holders: readonly (HolderView & { readonly permits: number })[];
  readonly waiters: number;
  /** Absent where the store does not know who waits. */
  readonly line?: LineView;
}
