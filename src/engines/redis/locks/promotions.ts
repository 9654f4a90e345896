import type { RedisDriver } from '../driver.ts';
import { prefixed } from '../keys.ts';

/** How long a promotion is remembered for a name that no quorum asks about any more. */
const IN_CLUSTER_MS = 7 * 24 * 60 * 60 * 1000;

/** Where it is written down since when a server that was once a replica has been the master it is. */
export interface PromotionRecord {
  readonly promoted: string;
  /** How long it is kept; 0 without limit. */
  readonly promotedMs: number;
}

/**
 * One record for all names of a prefix. On a cluster a script touches keys of one slot only, so each name has its own; the
 * first quorum that asks about a name there takes a server which was ever promoted for one that has just been.
 */
export function promotionRecord({ topology }: RedisDriver, prefix: string, name: string): PromotionRecord {
  return topology === 'cluster'
    ? { promoted: prefixed('holdfast_promoted', name), promotedMs: IN_CLUSTER_MS }
    : { promoted: prefixed('holdfast_promoted', prefix), promotedMs: 0 };
}
