import type { AcquireAsk, HolderView, HoldingVerbs } from './holding.ts';

export interface SemaphoreAsk extends AcquireAsk {
  /** How many permits at a time. */
  readonly permits: number;
  /** How many there are in all, as this client was given at creation. */
  readonly total: number;
}

/** The semaphore exists with another number of permits. */
export interface TotalMismatch {
  readonly kind: 'mismatch';
  readonly total: number;
}

export type SemaphoreVerbs = HoldingVerbs<SemaphoreAsk, TotalMismatch>;

export interface SemaphoreLook {
  /** Undefined before its first use. */
  readonly total: number | undefined;
  readonly taken: number;
  /** How many are left, where the store knows only that. */
  readonly free?: number | undefined;
  readonly holders: readonly (HolderView & { readonly permits: number })[];
  readonly waiters: number;
}
