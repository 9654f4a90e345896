import type { HolderSighting } from '../../spi/engine/inspector.ts';
import type { MaybeAsync } from '../../spi/maybe-async.ts';
import type { OwnerId } from '../../spi/rule.ts';
import type { Side } from '../../spi/verbs/read-write-lock.ts';

/** What was seen of a hold, in the terms of a rule. */
interface SeenHold {
  readonly owner: OwnerId;
  readonly fence?: number;
}

type Verb<Ask> = (name: string, ask: Ask) => MaybeAsync<{ readonly kind: string }>;

/*
 * Each takes the hold from the holder that the caller saw, and answers whether it did. The holder may change between the
 * look and the call: the rule compares owner and fence once more.
 */

/** Of a kind with one holder. */
export async function forceHolder(
  protocol: { readonly force: Verb<SeenHold> },
  name: string,
  holder: HolderSighting,
): Promise<boolean> {
  return (await protocol.force(name, seenHold(holder))).kind === 'forced';
}

/** Of a kind with two sides. */
export async function forceSide(
  protocol: { readonly force: Verb<SeenHold & { readonly side: Side }> },
  name: string,
  holder: HolderSighting,
): Promise<boolean> {
  return (
    (await protocol.force(name, { ...seenHold(holder), side: holder.side ?? 'write' })).kind === 'forced'
  );
}

/** Of a kind whose owners are never used twice: to break a hold is to release it for its owner. */
export async function releasePermits(
  protocol: { readonly release: Verb<{ readonly owner: OwnerId }> },
  name: string,
  { owner }: HolderSighting,
): Promise<boolean> {
  return (await protocol.release(name, { owner })).kind === 'released';
}

function seenHold({ owner, fence }: HolderSighting): SeenHold {
  return { owner, ...(fence !== undefined && { fence: Number(fence) }) };
}
