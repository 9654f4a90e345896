import { asPromise, type MaybeAsync } from '../../spi/maybe-async.ts';
import type { Owing, RequestEnd } from '../../spi/verbs/holding.ts';
import { onAbort } from '../async/aborts.ts';
import type { AcquireTerms } from './acquire-terms.ts';
import { isOwedForLong } from './contact.ts';
import type { Holdable } from './holdable.ts';
import { silentStoreError } from '../failures/silent-store.ts';

/**
 * The answer to a single attempt that stands behind another acquisition of its process, the head, and so asks nothing: null if
 * the store has answered the head, an outage if the store is silent, else what the attempt gets when it asks.
 *
 * The tempting alternative answers `null` at once, because the line is not the attempt's to pass. While the store is down that
 * tells each caller but the first that another owner is in, and its work is skipped although the lock is free. An attempt that
 * waits in the store behind a holder is no sign of silence, and may take any time: behind such a head null is all there is.
 */
export function followHead<T>(
  holdable: Holdable,
  head: Owing | undefined,
  terms: AcquireTerms,
  ask: () => MaybeAsync<T | null>,
): MaybeAsync<T | null> {
  const owedSince = head?.owedSince();
  if (head === undefined || owedSince === undefined || holdable.traits.attemptsWait) return null;
  if (terms.followed !== undefined) terms.followed.source = head;
  return untilItEnds(holdable, head, owedSince, terms.signal, ask);
}

async function untilItEnds<T>(
  { client, subject }: Holdable,
  head: Owing,
  owedSince: number,
  signal: AbortSignal | undefined,
  ask: () => MaybeAsync<T | null>,
): Promise<T | null> {
  const end = await endOfHead(head, signal);
  // In the step in which it asks: since the head ended the client may have closed, and nothing would give its grant back.
  signal?.throwIfAborted();
  client.throwIfClosed(subject);
  if (end === 'busy') return null;
  const owedMs = client.clock.now() - owedSince;
  // Of heads that are aborted one after the other none is answered: to ask behind each of them takes longer than any request may.
  if (end === 'silent' || (end === 'left' && isOwedForLong(owedMs, Infinity)))
    throw silentStoreError(client, subject, Math.ceil(owedMs));
  return asPromise(ask());
}

function endOfHead(head: Owing, signal: AbortSignal | undefined): Promise<RequestEnd> {
  return new Promise((resolve, reject) => {
    // First, so that it can be ended by a head that tells at once.
    const unlisten =
      signal &&
      onAbort(signal, () => {
        unfollow();
        reject(signal.reason);
      });
    const unfollow = head.follow((end) => {
      unlisten?.();
      resolve(end);
    });
  });
}
