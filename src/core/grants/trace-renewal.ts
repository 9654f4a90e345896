import { tracingChannel } from 'node:diagnostics_channel';
import type { Clock } from '../../spi/clock.ts';
import type { RenewalOutcome } from '../../spi/engine/protocol.ts';
import type { HoldTrace, RenewalTrace } from '../../spi/synchronizers.ts';
import type { Grant } from './grant.ts';
import { grantEvent } from './grant-event.ts';

/** Where every renewal of the process is traced, one trace for each hold that a request renews. */
export const renewalTracing = tracingChannel<unknown, RenewalTrace>('holdfast:renewal');

let lastId = 0;

/** What the subscribers receive of one renewal. */
class RenewalNotes implements RenewalTrace {
  readonly id = ++lastId;
  readonly hold: HoldTrace | undefined;
  readonly kind: string;
  readonly name: string;
  readonly engine: string;
  readonly owner: string;
  readonly fence: bigint;
  elapsedMs?: number;
  error?: unknown;
  readonly #grant: Grant;
  readonly #clock: Clock;
  readonly #since: number;

  constructor(grant: Grant) {
    const { kind, name, engine, owner, fence } = grantEvent(grant);
    this.hold = grant.trace;
    this.kind = kind;
    this.name = name;
    this.engine = engine;
    this.owner = owner;
    this.fence = fence;
    this.#grant = grant;
    this.#clock = grant.holdable.client.clock;
    this.#since = this.#clock.now();
  }

  /** A hold that was released while its renewal was under way is gone from the store, and has lost nothing. */
  end(outcome: RenewalOutcome | undefined): void {
    this.elapsedMs = this.#clock.now() - this.#since;
    const error = outcome?.kind === 'failed' ? outcome.error : undefined;
    const loss = outcome?.kind === 'gone' ? this.#grant.loss : undefined;
    if (outcome?.kind === 'failed' || loss !== undefined) {
      this.error = error ?? loss;
      renewalTracing.error.publish(this);
    }
    renewalTracing.asyncStart.publish(this);
    renewalTracing.asyncEnd.publish(this);
  }
}

/** Begins the trace of the renewal of each of these, if a subscriber listens. */
export function traceRenewals(grants: readonly Grant[]): readonly RenewalNotes[] {
  if (!renewalTracing.hasSubscribers) return [];
  const traces = grants.map((grant) => new RenewalNotes(grant));
  for (const trace of traces) {
    renewalTracing.start.publish(trace);
    renewalTracing.end.publish(trace);
  }
  return traces;
}
