import type { RenewalOutcome } from '../../spi/engine/protocol.ts';
import type { LeaseLostError } from '../../spi/errors.ts';
import type { Client } from '../client.ts';
import type { Grant } from './grant.ts';
import { grantEvent } from './grant-event.ts';
import type { TraceNotes } from '../acquire/trace-acquire.ts';
import { holdTracing, takeTrace, traceHold } from './trace-hold.ts';

/** When an acquisition began, if a listener wants to know how long it takes, or that its hold begins. */
export function startedAt(client: Client): number | undefined {
  return client.events.acquire.wanted || holdTracing.hasSubscribers ? client.clock.now() : undefined;
}

/** Reports a hold to the listeners and subscribers that there were when its acquisition began (`startedAt`). */
export function tellAcquired(grant: Grant, since: number, trace: TraceNotes | undefined): void {
  const { events, clock } = grant.holdable.client;
  if (events.acquire.wanted) events.acquire.emit({ ...grantEvent(grant), elapsedMs: clock.now() - since });
  traceHold(grant, trace?.acquisition);
}

/** Reports what the store has answered to the renewal of a hold. */
export function tellRenewed(grant: Grant, outcome: RenewalOutcome): void {
  const { renew } = grant.holdable.client.events;
  if (!grant.renewed || !renew.wanted) return;
  renew.emit(outcome.kind === 'failed' ? { ...grantEvent(grant), error: outcome.error } : grantEvent(grant));
}

/** Reports that a hold has ended before its release. */
export function tellLost(grant: Grant, error: LeaseLostError): void {
  const { lost } = grant.holdable.client.events;
  if (lost.wanted) lost.emit({ ...grantEvent(grant), error });
  takeTrace(grant)?.fail(error);
}
