import { argumentTypeError, type ErrorSubject } from '../../../spi/errors.ts';
import type { Description, Expected, HolderSighting, Kind } from '../../../spi/inspector.ts';
import type { Protocols } from '../../../kernels/protocols.ts';
import type { ForceAsk, Forced } from '../../../spi/verbs/lock.ts';

/** What has an owner that it can be taken from. */
type Breakable = 'lock' | 'fairLock' | 'readWriteLock' | 'permitSemaphore' | 'election' | 'monitor';

const BREAKABLE: ReadonlySet<Kind> = new Set<Breakable>([
  'lock',
  'fairLock',
  'readWriteLock',
  'permitSemaphore',
  'election',
  'monitor',
]);

export function checkBreakable(kind: Kind, subject: ErrorSubject): asserts kind is Breakable {
  if (BREAKABLE.has(kind)) return;
  throw argumentTypeError(
    `${subject.resource}: Redis does not know who has what of a ${kind}, so it cannot be taken from anybody.`,
    subject,
  );
}

/** The one holder that is meant, if it still stands there. */
export function meant(seen: Description | null, { owner, fence }: Expected): HolderSighting | undefined {
  return seen?.holders.find(
    (holder) =>
      (owner === undefined || holder.owner === owner) && (fence === undefined || holder.fence === fence),
  );
}

/**
 * Takes it from that holder. What is between the look and this does not matter: the script, or the rule, compares owner
 * and fence once more. Both, because neither is enough for all: the fence beside a hold of Java's is that of somebody
 * else, and the owner of one of Java's is the same when its thread comes back.
 */
export async function breakHold(
  protocols: Protocols,
  kind: Breakable,
  seen: Description,
  holder: HolderSighting,
): Promise<Forced | { readonly kind: 'released' | 'not-held' }> {
  const { name } = seen;
  const ask: ForceAsk = {
    owner: holder.owner,
    ...(holder.fence !== undefined && { fence: Number(holder.fence) }),
  };
  switch (kind) {
    case 'lock': {
      // Whoever stands in a line has to be told that it is the next, whatever the lock was called.
      const { waiters } = await protocols.fairLock.look(name);
      return waiters > 0 ? protocols.fairLock.force(name, ask) : protocols.lock.force(name, ask);
    }
    case 'fairLock':
      return protocols.fairLock.force(name, ask);
    case 'readWriteLock':
      return protocols.readWriteLock.force(name, { ...ask, side: holder.side ?? 'write' });
    case 'permitSemaphore':
      return protocols.permitSemaphore.release(name, { owner: holder.owner });
    case 'election':
      return protocols.election.force(name, ask);
    case 'monitor':
      return protocols.monitor.force(name, ask);
    default:
      return { kind: 'not-held' };
  }
}
