import type { ErrorSubject } from '../../spi/errors.ts';
import { onAbort } from '../async/aborts.ts';
import type { Client } from '../client.ts';
import type { Grant } from '../grants/grant.ts';
import { safetyMarginMs } from '../time/safety-margin.ts';
import type { HoldStack } from './hold-stack.ts';
import type { Scope } from './scope.ts';
import type { AcquireTerms } from '../acquire/acquire-terms.ts';
import { throwIfOver } from '../acquire/wait-limit.ts';

/**
 * Waits behind the branches of this scope that are inside, then calls `enter` in the same step in which its turn is
 * seen: a promise between the two would let the next branch see the same turn. Also when the holds of the scope have
 * ended or are lost; `enter` finds out.
 */
export async function enterBehindSiblings<T>(
  client: Client,
  from: Scope,
  forRun: boolean,
  subject: ErrorSubject,
  terms: AcquireTerms,
  enter: () => T | PromiseLike<T>,
): Promise<T> {
  const { holdStack } = from;
  const sleeper = client.makeSleeper();
  const unlisten = terms.signal && onAbort(terms.signal, sleeper.wake);
  const leave = holdStack.queue({ from, forRun, wake: sleeper.wake });
  try {
    for (;;) {
      await sleeper.sleep(terms.until);
      // Closing has given the grant back without losing it. To enter would run beside the next holder, and to queue again
      // would not sleep: what wakes sleepers of a closed client has happened.
      client.throwIfClosed(subject);
      // Its turn has come: to give up now would strand those behind it, who will not be woken again.
      if (!holdStack.grant.open || !holdStack.isHeldIn(from) || holdStack.isFreeFor(from)) {
        leave();
        return await enterOrPassOn(holdStack, enter);
      }
      throwIfOver(client, subject, terms);
    }
  } finally {
    leave();
    unlisten?.();
    client.releaseSleeper(sleeper);
  }
}

/** A sibling that was woken and refused passes its turn on: those behind it were not woken, because it was to go first. */
async function enterOrPassOn<T>(holdStack: HoldStack, enter: () => T | PromiseLike<T>): Promise<T> {
  try {
    return await enter();
  } catch (error) {
    holdStack.wakeSiblings();
    throw error;
  }
}

/** Whether a re-entry on these terms asks for more than the grant has: it is then extended first, never shortened. */
export function asksForMore(grant: Grant, terms: AcquireTerms): boolean {
  if (grant.renewed) return false;
  return terms.renewed || terms.leaseMs > grant.remainingMs() + safetyMarginMs(grant.leaseMs);
}
