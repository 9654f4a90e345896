import type { OwnerId } from '../../src/spi/rule.ts';
import type { AcquireAsk } from '../../src/spi/verbs/holding.ts';

/** An acquisition as most examples make it. */
export function asking<More extends object>(owner: OwnerId, more: More): AcquireAsk & More;
export function asking(owner: OwnerId): AcquireAsk;
export function asking(owner: OwnerId, more: object = {}): AcquireAsk {
  return { owner, leaseMs: 30, interestMs: 90, wait: true, ...more };
}
