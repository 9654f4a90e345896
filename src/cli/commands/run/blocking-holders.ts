import type { InspectedLocks } from '../../open-locks.ts';
import { kindOf } from './acquisition.ts';
import type { InTheWay, TellEvent } from './run-event.ts';
import type { Wanted } from './run-request.ts';

/** Tells who holds it, for those who want to know. */
export async function tellWhoIsInTheWay(
  locks: InspectedLocks,
  wanted: Wanted,
  tell: TellEvent,
): Promise<void> {
  tell({ event: 'waiting', holders: await holdersOf(locks, wanted) });
}

/** An answer that does not come must not stand in the way itself. */
async function holdersOf({ inspector }: InspectedLocks, wanted: Wanted): Promise<readonly InTheWay[]> {
  try {
    const seen = await Promise.all(wanted.names.map((name) => inspector.describe(kindOf(wanted), name)));
    return seen.flatMap((one) =>
      (one?.holders ?? []).map(({ owner, fence, remainingMs }) => ({
        name: one!.name,
        owner,
        ...(fence !== undefined && { fence: String(fence) }),
        remainingMs,
      })),
    );
  } catch {
    return [];
  }
}
