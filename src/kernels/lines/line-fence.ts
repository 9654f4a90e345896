import { EngineError, type ErrorSubject } from '../../spi/errors.ts';

/** As many as a grant can be handed over in one process: the Turnstile and the BatchedTicket ask for no more. */
export const FENCES_OF_A_TICKET = 64;

/**
 * The first fence of a ticket that may be handed over: the number that the store has given it, followed by a count. The next
 * ticket of the line has a higher number, though it may be higher by one only, and so all its fences are above all of these.
 *
 * Inside the library a fence is a safe integer. The number of the store must therefore stay below 2^47: 32,768 elections of a leader in
 * ZooKeeper, whose number has the election in its upper 32 bits, or 140 million million changes in etcd. Beyond that two
 * fences would round to the same number. Such a ticket is refused, because a fence that repeats protects nothing.
 */
export function blockFence(number: number, subject: ErrorSubject): number {
  return safeFence(number * FENCES_OF_A_TICKET, FENCES_OF_A_TICKET, number, subject);
}

/** The fence of a ticket that is never handed over: the number that the store has given it. */
export function plainFence(number: number, subject: ErrorSubject): number {
  return safeFence(number, 1, number, subject);
}

function safeFence(fence: number, fences: number, number: number, subject: ErrorSubject): number {
  if (Number.isSafeInteger(fence + (fences - 1))) return fence;
  throw new EngineError(
    `${subject.resource}: ${subject.engine} has reached number ${number}, and a fence made of it would be above 2^53, where two fences can be equal. Nothing was acquired. Start a new ensemble, or use another engine for this lock.`,
    subject,
    { retryable: false },
  );
}
