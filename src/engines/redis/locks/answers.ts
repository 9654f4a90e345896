import type { RenewalOutcome } from '../../../spi/engine/protocol.ts';
import type { Busy, Granted, Released, Renewed } from '../../../spi/verbs/holding.ts';
import type { Forced } from '../../../spi/verbs/lock.ts';
import type { Reply } from '../driver.ts';

/** The answer of a script that grants: `granted nowMs remainingMs fence`. */
export function grantedOf(reply: readonly Reply[], fences = 1): Granted {
  return { kind: 'granted', remainingMs: Number(reply[2]), fence: Number(reply[3]), fences };
}

/**
 * The answer to somebody who has to wait: no longer than the time that the server tells, and never without end, because
 * a message may be lost and a server's clock may be set back. A key lives on for part of a millisecond after its time is
 * said to be zero: to ask again at once would be to ask in vain.
 */
export function busyFor(ttlMs: Reply | undefined, interestMs: number): Busy {
  const soonest = interestMs / 3;
  const ends = ttlMs === undefined ? -1 : Number(ttlMs);
  return { kind: 'busy', againInMs: ends < 0 ? soonest : Math.min(soonest, ends + 1) };
}

/** Told instead of a number of receivers: the user of the connection may not publish, and it was released all the same. */
export const NOT_PERMITTED = -1;

/** The answer of a script that releases: `released others`. */
export function releasedOf(reply: readonly Reply[], ours: number): Released {
  if (reply[0] !== 'released') return { kind: 'not-held' };
  return { kind: 'released', others: Math.max(0, Number(reply[1]) - ours) };
}

/** The answer of a script that takes away: `forced nowMs owner lastFence ttlMs`. */
export function forcedOf(reply: readonly Reply[]): Forced {
  const [kind, , owner, fence, ttlMs] = reply;
  if (kind !== 'forced') return { kind: 'not-forced' };
  return {
    kind: 'forced',
    holder: { owner: String(owner), fence: Number(fence), remainingMs: Math.max(0, Number(ttlMs)) },
  };
}

/** The outcome of a renewal that was sent by itself. */
export function renewedOf([outcome]: readonly RenewalOutcome[]): Renewed {
  if (outcome?.kind === 'failed') throw outcome.error;
  return outcome ?? { kind: 'gone' };
}
