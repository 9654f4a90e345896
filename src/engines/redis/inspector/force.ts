import type { HolderSighting, Kind } from '../../../spi/engine/inspector.ts';
import { breakHold as breakByOwner } from '../../../kernels/inspector/break-hold.ts';
import type { Protocols } from '../../../spi/engine/protocols.ts';

/**
 * Breaks the hold of that holder, and returns whether it did. The race: the holder may change between the look and this
 * call, so the script, or the rule, compares owner and fence once more. Neither is enough alone: the fence beside a hold of
 * Java belongs to another grant, and a Java thread that acquires again has the same owner.
 */
export async function breakHold(
  protocols: Protocols,
  kind: Kind,
  name: string,
  holder: HolderSighting,
): Promise<boolean> {
  // The next waiter of a fair line must get its message, whichever kind the caller named.
  const hasLine = kind === 'lock' && (await protocols.fairLock.look(name)).waiters > 0;
  return breakByOwner(protocols, hasLine ? 'fairLock' : kind, name, holder);
}
