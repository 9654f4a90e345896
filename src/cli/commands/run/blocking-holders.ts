import { holderName } from '../../../spi/holder-name.ts';
import type { InspectedLocks } from '../../open-locks.ts';
import { kindOf } from './acquisition.ts';
import type { BlockingHolder, TellEvent } from './run-event.ts';
import type { Wanted } from './run-request.ts';

/** Tells who holds the lock, if the user wants to know. */
export async function tellBlockingHolders(
  locks: InspectedLocks,
  wanted: Wanted,
  tell: TellEvent,
): Promise<void> {
  tell({ event: 'waiting', holders: await findHolders(locks, wanted) });
}

/** Answers with nothing if the store does not: the question must not delay the command. */
async function findHolders(
  { inspector }: InspectedLocks,
  wanted: Wanted,
): Promise<readonly BlockingHolder[]> {
  try {
    const seen = await Promise.all(wanted.names.map((name) => inspector.describe(kindOf(wanted), name)));
    return seen.flatMap((one) =>
      (one?.holders ?? []).map((holder) => {
        const { owner, fence, remainingMs, heldForMs } = holder;
        return {
          name: one!.name,
          owner,
          heldBy: holderName(holder),
          ...(heldForMs !== undefined && { heldForMs: Math.round(heldForMs) }),
          ...(fence !== undefined && { fence: String(fence) }),
          remainingMs,
        };
      }),
    );
  } catch {
    return [];
  }
}
