import { AcquireTimeoutError, EngineError } from '../../spi/errors.ts';
import { asPromise, type MaybeAsync } from '../../spi/maybe-async.ts';
import type { Owing, RequestEnd } from '../../spi/verbs/holding.ts';
import { onAbort } from '../async/aborts.ts';
import type { AcquireTerms } from './acquire-terms.ts';
import type { Holdable } from './holdable.ts';
import { provesAnswer } from './proves-answer.ts';
import { silentStoreError } from './silent-store.ts';

/** A head of which the end is told. */
type FollowedHead = Owing & Required<Pick<Owing, 'follow'>>;

/**
 * The answer to a single attempt that stands behind another acquisition of its process, the head, and so asks nothing: null if
 * the store has answered the head, an outage if the head fails for its silence, else what the attempt gets when it asks.
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
  if (head?.owedSince() === undefined || !isFollowed(head) || holdable.traits.attemptsWait) return null;
  if (terms.followed !== undefined) terms.followed.source = head;
  return untilItEnds(holdable, head, terms.signal, ask);
}

function isFollowed(head: Owing): head is FollowedHead {
  return head.follow !== undefined;
}

async function untilItEnds<T>(
  { client, subject }: Holdable,
  head: FollowedHead,
  signal: AbortSignal | undefined,
  ask: () => MaybeAsync<T | null>,
): Promise<T | null> {
  const since = client.clock.now();
  const end = await endOf(head, signal);
  // In the step in which it asks: since it was told the client may have closed, and nothing would give its grant back.
  signal?.throwIfAborted();
  client.throwIfClosed(subject);
  if (end.kind === 'answered') return null;
  if (end.kind === 'failed') {
    if (end.error instanceof AcquireTimeoutError) return null;
    if (end.error instanceof EngineError && !provesAnswer(end.error))
      throw silentStoreError(client, subject, Math.ceil(client.clock.now() - since));
  }
  // The head was aborted, refused for itself or has left: that says nothing of who holds the thing.
  return asPromise(ask());
}

function endOf(head: FollowedHead, signal: AbortSignal | undefined): Promise<RequestEnd> {
  return new Promise((resolve, reject) => {
    const unfollow = head.follow((end) => {
      unlisten?.();
      resolve(end);
    });
    const unlisten =
      signal &&
      onAbort(signal, () => {
        unfollow();
        reject(signal.reason);
      });
  });
}
