import { isPending } from '../../spi/maybe-async.ts';
import type { Granted } from '../../spi/verbs/holding.ts';
import type { Grant } from './grant.ts';

/**
 * Makes at least so much remain, of which the hold is to last `minHoldMs` whatever becomes of its owner. Throws the loss if it
 * turns out to be gone, and the error if that is not known.
 */
export async function extendGrant<G extends Granted>(
  grant: Grant<G>,
  ms: number,
  minHoldMs?: number,
): Promise<void> {
  const { client, protocol } = grant.holdable;
  const sentAt = client.clock.now();
  const request = grant.noteRequest(ms);
  const outcomes = protocol.renewMany([grant.holdable.renewal(grant.owner, ms, minHoldMs)]);
  const [outcome] = isPending(outcomes) ? await outcomes : outcomes;
  if (outcome?.kind === 'failed') throw outcome.error;
  if (outcome?.kind === 'renewed') {
    grant.confirm(request, sentAt, outcome.remainingMs, ms);
    if (grant.open) client.keeper.reschedule(grant);
  } else {
    grant.lose('gone');
  }
  // Lost is final, also when it happened while the answer was on its way.
  if (grant.loss !== undefined) throw grant.loss;
}
