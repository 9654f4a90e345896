import type { Busy } from '../../../spi/verbs/holding.ts';

/** So many clients of a crowd look often, on average. */
const LOOKOUTS = 4;
const LOOKOUT_MS = 1000;
/** All others put their look off by up to this for each client of the crowd, so that not all look at the end of one lease. */
const APART_MS = 10;

/**
 * When a client of a crowd looks again. A release wakes one client, which may be stopped: then the lock is free and no other
 * waiter knows. A few clients that look once a second find it. The clients draw lots for that with each refusal, because none of
 * them can know that another one does it. A lookout draws again after a second, and any other client much later: the odds are those
 * by which as many become lookouts as cease to be.
 */
export function inCrowd({ againInMs }: Busy, clients: number, lot: number): Busy {
  const draws = LOOKOUTS * Math.max(1, againInMs / LOOKOUT_MS);
  if (lot * (clients - LOOKOUTS + draws) < draws)
    return { kind: 'busy', againInMs: Math.min(againInMs, LOOKOUT_MS) };
  return { kind: 'busy', againInMs: againInMs + lot * clients * APART_MS };
}
