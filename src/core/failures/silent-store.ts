import { EngineError, type ErrorSubject } from '../../spi/errors.ts';
import type { Client } from '../client.ts';
import { NotReadyError } from './not-ready-error.ts';
import { NoAnswerError } from '../async/in-time.ts';
import { isError } from '../../spi/is-error.ts';

/** The time to wait is over and the store owes an answer. To callers an {@link EngineError} like any other. */
export class SilentStoreError extends EngineError {
  constructor(message: string, subject: ErrorSubject, cause: unknown) {
    super(message, subject, { cause, retryable: true });
    Object.defineProperty(this, 'name', { value: 'EngineError' });
  }
}

/** What a wait is rejected with that ends in an outage: nothing is known about who holds the thing, if anyone does. */
export function silentStoreError(client: Client, subject: ErrorSubject, timeoutMs: number): SilentStoreError {
  const { storeFailure } = client;
  // It has answered all the time, that it cannot do it now: to call it silent sends its operator to look at the network.
  if (storeFailure instanceof NotReadyError) {
    const { message, cause } = storeFailure.explain(subject, client.unsettled.has(subject.resource));
    return new SilentStoreError(message, subject, cause);
  }
  // That nothing came in time says no more than the sentence itself, and its limit may be that of an earlier call.
  const isSilence = storeFailure instanceof NoAnswerError;
  const why = isError(storeFailure) && !isSilence ? ` (${storeFailure.message})` : '';
  return new SilentStoreError(
    `${subject.resource}: ${subject.engine} did not answer within ${timeoutMs} ms${why}. Whether it is free is not known, and the wait was given up. Check that the store can be reached, then try again.`,
    subject,
    storeFailure ?? new NoAnswerError(timeoutMs),
  );
}
