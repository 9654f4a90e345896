import type { Address } from '../address.ts';
import { endWithin } from '../end-within.ts';
import { openLocks, type Opened } from '../open-locks.ts';

const CLOSING_MS = 1_000;

/** Opens the engine for as long as it takes. */
export async function withLocks<T>(address: Address, look: (locks: Opened) => Promise<T>): Promise<T> {
  const locks = await openLocks(address);
  try {
    return await look(locks);
  } finally {
    await endWithin(locks.close(), CLOSING_MS);
  }
}
