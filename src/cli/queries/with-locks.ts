import type { Address } from '../address.ts';
import { withTimeout } from '../with-timeout.ts';
import { openLocks, type InspectedLocks } from '../open-locks.ts';

const CLOSING_MS = 1_000;

/** Opens the engine for one call of `look`, and closes it. */
export async function withLocks<T>(
  address: Address,
  look: (locks: InspectedLocks) => Promise<T>,
): Promise<T> {
  const locks = await openLocks(address);
  try {
    return await look(locks);
  } finally {
    await withTimeout(locks.close(), CLOSING_MS);
  }
}
