import type { ErrorSubject } from '../../spi/errors.ts';
import type { Holder } from '../../spi/api/hold.ts';
import type { Blocked } from '../announcing/holder-names.ts';
import { ownHolder } from '../announcing/own-holder.ts';
import { onAbort } from '../async/aborts.ts';
import { inTime } from '../async/in-time.ts';
import type { Client } from '../client.ts';
import { isExplicable, timeoutError } from './timeout-error.ts';

/** The look may take this part of the time-out: a caller does not notice it beside the time that it has waited. */
const LOOK_PART = 0.1;
/** And at least so long, or a single attempt would never say by whom: it has just made a request of the same length. */
const SHORTEST_LOOK_MS = 50;
const LONGEST_LOOK_MS = 250;

/** What was not acquired, and how to see who keeps others out of it. */
export interface Contested extends Blocked {
  readonly client: Client;
  readonly subject: ErrorSubject;
  /** What of several things the holder has, as errors call it. Missing where the subject is that thing. */
  readonly member?: string;
}

/**
 * Rejects with the time-out, which says who holds the thing if the store answers soon. Every other error passes through: an outage
 * keeps its own.
 *
 * Looks when the time is over. The tempting alternative looks ahead of the end, and prolongs nothing: it asks for waiters that are
 * about to get in, answers with the holder of then, and has no time for a single attempt. A look that is late or fails costs the
 * caller the limit above, and its error is the plain one; where the store owes an answer already, nothing is asked.
 */
export async function explainTimeout(
  contested: Contested,
  timeoutMs: number,
  error: unknown,
  signal: AbortSignal | undefined,
): Promise<never> {
  const { client, subject } = contested;
  if (!isExplicable(error) || client.closed) throw error;
  const own = ownHolder(client, contested);
  if (own !== undefined) throw timeoutError(subject, timeoutMs, [own], contested);
  const limitMs = Math.min(Math.max(LOOK_PART * timeoutMs, SHORTEST_LOOK_MS), LONGEST_LOOK_MS);
  let unlisten: (() => void) | undefined;
  let holders: readonly Holder[];
  try {
    holders = await inTime(client.clock, client.names.lookOnce(contested), limitMs, true, (giveUp) => {
      // The race: the caller aborts after its time is over and before the look is. It waits for nothing but the look.
      unlisten = signal && onAbort(signal, giveUp);
    });
  } catch {
    signal?.throwIfAborted();
    throw error;
  } finally {
    unlisten?.();
  }
  throw holders.length === 0 ? error : timeoutError(subject, timeoutMs, holders, contested);
}
