import type { RedisDriver } from '../driver.ts';
import { prefixed } from '../keys.ts';

/** How long a cluster keeps the record of a name that no quorum asks about any more. */
const IN_CLUSTER_MS = 7 * 24 * 60 * 60 * 1000;

/** The key that records when a former replica became master. */
export interface PromotionRecord {
  readonly promoted: string;
  /** How long the record is kept; 0 is without limit. */
  readonly promotedMs: number;
}

/**
 * One record for all names of a prefix. On a cluster a script may use keys of one slot only, so each name has its own; there
 * the first quorum that asks about a name treats any server that was ever promoted as one that was promoted just now.
 */
export function promotionRecord({ topology }: RedisDriver, prefix: string, name: string): PromotionRecord {
  return topology === 'cluster'
    ? { promoted: prefixed('holdfast_promoted', name), promotedMs: IN_CLUSTER_MS }
    : { promoted: prefixed('holdfast_promoted', prefix), promotedMs: 0 };
}
