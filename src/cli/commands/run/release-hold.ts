import { systemClock } from '../../../core/time/clock.ts';
import { isHoldfastError, LeaseLostError } from '../../../spi/errors.ts';
import type { HeldNames } from './acquire-telling.ts';
import type { TellEvent } from './run-event.ts';

/** Releases the hold. The release may be the first to find that the hold was lost. */
export async function releaseHold(
  { hold, acquiredAt }: HeldNames,
  tell: TellEvent,
  command: 'is-over' | 'none' = 'is-over',
): Promise<'lost' | 'given-back'> {
  try {
    await hold.release();
    tell({ event: 'released', heldMs: systemClock.now() - acquiredAt });
  } catch (error) {
    if (error instanceof LeaseLostError) {
      if (!hold.lost.aborted) tell({ event: 'lost', reason: error.reason, command });
      return 'lost';
    }
    if (!isHoldfastError(error)) throw error;
    tell({ event: 'release-failed', message: error.message });
  }
  return 'given-back';
}
