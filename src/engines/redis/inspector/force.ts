import { argumentTypeError, type ErrorSubject } from '../../../spi/errors.ts';
import type { HolderSighting, Kind } from '../../../spi/inspector.ts';
import { breakHold as breakByOwner } from '../../../kernels/inspector/force.ts';
import type { Protocols } from '../../../kernels/cells/protocols.ts';

/** What has an owner that it can be taken from. */
const BREAKABLE: ReadonlySet<Kind> = new Set<Kind>([
  'lock',
  'fairLock',
  'readWriteLock',
  'semaphore',
  'permitSemaphore',
  'election',
  'monitor',
]);

export function checkBreakable(kind: Kind, subject: ErrorSubject): void {
  if (BREAKABLE.has(kind)) return;
  throw argumentTypeError(
    `${subject.resource}: Redis keeps no holders of a ${kind}, so there is no holder to take it from.`,
    subject,
  );
}

/**
 * Takes it from that holder. What is between the look and this does not matter: the script, or the rule, compares owner
 * and fence once more. Both, because neither is enough for all: the fence beside a hold of Java's is that of somebody
 * else, and the owner of one of Java's is the same when its thread comes back. Answers whether it was taken away.
 */
export async function breakHold(
  protocols: Protocols,
  kind: Kind,
  name: string,
  holder: HolderSighting,
): Promise<boolean> {
  // Whoever stands in a line has to be told that it is the next, whatever the lock was called.
  const hasLine = kind === 'lock' && (await protocols.fairLock.look(name)).waiters > 0;
  return breakByOwner(protocols, hasLine ? 'fairLock' : kind, name, holder);
}
