import type { PermitsState } from '../../src/rules/permits.ts';

export type Permit = PermitsState['holders'][number];

/** Permits whose time is over stay, and are counted as taken, until an acquisition finds them. */
export interface RedisPermitsState {
  readonly fence: number;
  /** Undefined while no client has used it. */
  readonly total: number | undefined;
  readonly holders: readonly Permit[];
}

export function takenBy(holders: readonly Permit[]): number {
  return holders.reduce((sum, { permits }) => sum + permits, 0);
}
