import { systemClock } from '../../../core/time/clock.ts';
import { EngineError } from '../../../spi/errors.ts';
import { pause } from '../../pause.ts';

const AGAIN_MS = 500;
/** How long a call that fails takes at most, with some margin. */
const LONGEST_CALL_MS = 15_000;

/** How to go on through an outage. */
export interface OutageTerms {
  readonly signal: AbortSignal;
  /** Called when the store did not answer, before it is asked again. */
  readonly trouble: (message: string) => void;
  /** How long to keep asking a silent store. */
  readonly silenceMs: number;
}

/**
 * Keeps waiting through an outage of the store: a waiter of an hour must not fail because a server restarts. Gives up
 * on a store that is silent for longer than a lease, or when the wait limit is over: that is an outage, not contention.
 */
export async function retryOverOutages<T>(
  wait: () => Promise<T>,
  until: number,
  { signal, trouble, silenceMs }: OutageTerms,
): Promise<T> {
  let silentSince: number | undefined;
  for (;;) {
    const askedAt = systemClock.now();
    try {
      return await wait();
    } catch (error) {
      if (!(error instanceof EngineError) || !error.retryable || signal.aborted) throw error;
      const now = systemClock.now();
      // An answer takes seconds at most: a wait that took longer was answered meanwhile, so this silence is a new one.
      if (silentSince === undefined || now - askedAt > LONGEST_CALL_MS) silentSince = now;
      if (now - silentSince >= silenceMs || now >= until) throw error;
      trouble(error.message);
      await pause(AGAIN_MS, signal);
    }
  }
}
