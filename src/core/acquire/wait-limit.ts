import { AcquireTimeoutError, type ErrorSubject } from '../../spi/errors.ts';
import { type Client, closedError } from '../client.ts';
import type { Contact } from './contact.ts';
import { SilentStoreError, silentStoreError } from '../failures/silent-store.ts';
import { StoreFullError } from '../failures/store-full-error.ts';
import { owedTimeoutError, timeoutError } from '../failures/timeout-error.ts';

/** When to stop waiting. */
export interface WaitLimit {
  /** By the client's clock; Infinity to wait without limit. */
  readonly until: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** The error at the end of the time, of a wait that acquires nothing. */
  readonly timeoutError?: (subject: ErrorSubject, timeoutMs: number) => AcquireTimeoutError;
}

/**
 * Throws if there is a reason to stop waiting. With a contact: an outage is distinguished from contention, and so is a store that was
 * full to the end.
 */
export function throwIfOver(
  client: Client,
  subject: ErrorSubject,
  waitLimit: WaitLimit,
  contact?: Contact,
): void {
  waitLimit.signal?.throwIfAborted();
  if (client.closed) throw closedError(subject);
  const now = client.clock.now();
  const { until, timeoutMs } = waitLimit;
  if (now < until) return;
  if (contact?.isSilent(now, timeoutMs) === true) throw silentStoreError(client, subject, timeoutMs);
  const usual = contact?.owedSince() === undefined ? timeoutError : owedTimeoutError;
  throw contact?.fullStore() ?? (waitLimit.timeoutError ?? usual)(subject, timeoutMs);
}

/** Whether a wait ended because its time was over, whatever the store did meanwhile. */
export function isOutOfTime(error: unknown): boolean {
  return (
    error instanceof AcquireTimeoutError ||
    error instanceof StoreFullError ||
    error instanceof SilentStoreError
  );
}
