import type { RenewalOutcome } from '../../../spi/engine/protocol.ts';
import type { Busy, Granted, Released, Renewed } from '../../../spi/verbs/holding.ts';
import type { Forced } from '../../../spi/verbs/lock.ts';
import type { Reply } from '../driver.ts';

/** Reads the reply of a script that grants: `granted nowMs remainingMs fence`. */
export function grantedOf(reply: readonly Reply[], fences = 1): Granted {
  return { kind: 'granted', remainingMs: Number(reply[2]), fence: Number(reply[3]), fences };
}

/**
 * The answer to a waiter. It asks again when the holder's lease ends, and within a third of its own interest in any case,
 * because a message may be lost and a server's clock may be set back. A key lives on for part of a millisecond after its TTL
 * reads 0: to ask again at once would be in vain.
 */
export function busyFor(ttlMs: Reply | undefined, interestMs: number): Busy {
  const soonest = interestMs / 3;
  const ends = ttlMs === undefined ? -1 : Number(ttlMs);
  return { kind: 'busy', againInMs: ends < 0 ? soonest : Math.min(soonest, ends + 1) };
}

/** Stands for the number of receivers when the ACL forbids to publish: the release itself succeeded. */
export const NOT_PERMITTED = -1;

/** Reads the reply of a script that releases: `released receivers`. */
export function releasedOf(reply: readonly Reply[], ours: number): Released {
  if (reply[0] !== 'released') return { kind: 'not-held' };
  return { kind: 'released', others: Math.max(0, Number(reply[1]) - ours) };
}

/** Reads the reply of a script that breaks a hold: `forced nowMs owner lastFence ttlMs`. */
export function forcedOf(reply: readonly Reply[]): Forced {
  const [kind, , owner, fence, ttlMs] = reply;
  if (kind !== 'forced') return { kind: 'not-forced' };
  return {
    kind: 'forced',
    holder: { owner: String(owner), fence: Number(fence), remainingMs: Math.max(0, Number(ttlMs)) },
  };
}

/** The outcome of a renewal that was sent alone. */
export function renewedOf([outcome]: readonly RenewalOutcome[]): Renewed {
  if (outcome?.kind === 'failed') throw outcome.error;
  return outcome ?? { kind: 'gone' };
}
