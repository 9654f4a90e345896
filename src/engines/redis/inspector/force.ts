import type { HolderSighting, Kind } from '../../../spi/engine/inspector.ts';
import { breakHold as breakByOwner } from '../../../kernels/inspector/break-hold.ts';
import type { Protocols } from '../../../spi/engine/protocols.ts';

/**
 * Takes the hold from that holder, and answers whether it did. The holder may change between the look and this call: the
 * script, or the rule, compares owner and fence once more. It compares both, because neither is enough: the fence beside a
 * hold of Java's belongs to another grant, and a thread of Java's that comes back has the same owner.
 */
export async function breakHold(
  protocols: Protocols,
  kind: Kind,
  name: string,
  holder: HolderSighting,
): Promise<boolean> {
  // A waiter in a line must hear that it is the next, whichever kind the caller named.
  const hasLine = kind === 'lock' && (await protocols.fairLock.look(name)).waiters > 0;
  return breakByOwner(protocols, hasLine ? 'fairLock' : kind, name, holder);
}
