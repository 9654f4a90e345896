import { checkFence, checkOptions } from '../../core/arguments.ts';
import type { LockParts } from './lock-parts.ts';
import { storedFence } from './stored-fence.ts';

/** Ends the hold of any owner, or only the one with this fence. An owner of this client hears of the loss at once. */
export async function forceRelease(
  parts: LockParts,
  options: { readonly fence?: bigint } | undefined,
): Promise<boolean> {
  const { client, subject } = parts.holdable;
  checkOptions(options, ['fence'], subject);
  client.throwIfClosed(subject);
  const forced = await parts.force(storedFence(parts.holdable, checkFence(options?.fence, subject)));
  if (forced.kind === 'forced') client.keeper.loseForced(forced.holder.owner);
  return forced.kind === 'forced';
}
