import { systemClock } from '../../../core/time/clock.ts';
import { holderName } from '../../../spi/holder-name.ts';
import type { InspectedLocks } from '../../open-locks.ts';
import { kindOf } from './acquisition.ts';
import type { Wanted } from './hold-request.ts';
import type { BlockingHolder } from './run-event.ts';

/** How long a store may take to say who holds it. */
const PATIENCE_MS = 1_000;

/** Who holds what is wanted. Answers with nothing if the store does not: the question must not delay the command. */
export async function findHolders(locks: InspectedLocks, wanted: Wanted): Promise<readonly BlockingHolder[]> {
  return new Promise((resolve) => {
    const timer = systemClock.timer(PATIENCE_MS, () => resolve([]));
    timer.keepsAlive(true);
    askForHolders(locks, wanted)
      .then(resolve, () => resolve([]))
      .finally(() => timer.cancel());
  });
}

async function askForHolders(
  { inspector }: InspectedLocks,
  wanted: Wanted,
): Promise<readonly BlockingHolder[]> {
  const seen = await Promise.all(wanted.names.map((name) => inspector.describe(kindOf(wanted), name)));
  return seen.flatMap((one) =>
    (one?.holders ?? []).map((holder) => {
      const { owner, fence, remainingMs, heldForMs } = holder;
      return {
        name: one!.name,
        owner,
        heldBy: holderName(holder),
        ...(heldForMs !== undefined && { heldForMs }),
        ...(fence !== undefined && { fence: String(fence) }),
        remainingMs,
      };
    }),
  );
}
