import { tracingChannel } from 'node:diagnostics_channel';
import type { Clock } from '../../spi/clock.ts';
import type { AcquireTrace, HoldTrace, SectionCall } from '../../spi/synchronizers.ts';
import type { Grant } from './grant.ts';
import { grantEvent } from './grant-event.ts';

/** Where every hold of the process is traced, from its grant to its end. */
export const holdTracing = tracingChannel<unknown, HoldTrace>('holdfast:hold');

let lastId = 0;

/** What the subscribers receive of one hold. */
export class HoldNotes implements HoldTrace {
  readonly id = ++lastId;
  readonly acquisition: AcquireTrace | undefined;
  readonly kind: string;
  readonly name: string;
  readonly engine: string;
  readonly owner: string;
  readonly fence: bigint;
  elapsedMs?: number;
  error?: unknown;
  readonly #clock: Clock;
  readonly #since: number;
  #call: SectionCall | undefined;

  constructor(grant: Grant, acquisition: AcquireTrace | undefined) {
    const { kind, name, engine, owner, fence } = grantEvent(grant);
    this.acquisition = acquisition;
    this.kind = kind;
    this.name = name;
    this.engine = engine;
    this.owner = owner;
    this.fence = fence;
    this.#clock = grant.holdable.client.clock;
    this.#since = grant.heldAt;
  }

  callSectionBy(call: SectionCall): void {
    const outer = this.#call;
    this.#call = outer === undefined ? call : (section) => outer(() => call(section));
  }

  callSection<T>(section: () => T): T {
    return this.#call === undefined ? section() : this.#call(section);
  }

  end(): void {
    this.elapsedMs = this.#clock.now() - this.#since;
    this.#over();
  }

  fail(error: unknown): void {
    this.elapsedMs = this.#clock.now() - this.#since;
    this.error = error;
    holdTracing.error.publish(this);
    this.#over();
  }

  #over(): void {
    holdTracing.asyncStart.publish(this);
    holdTracing.asyncEnd.publish(this);
  }
}

/** Begins the trace of a hold, if a subscriber listens. */
export function traceHold(grant: Grant, acquisition: AcquireTrace | undefined): void {
  if (!holdTracing.hasSubscribers) return;
  const trace = new HoldNotes(grant, acquisition);
  grant.trace = trace;
  holdTracing.start.publish(trace);
  holdTracing.end.publish(trace);
}

/** The trace of the hold that the grant has, which ends; the next holder of the grant gets a trace of its own. */
export function takeTrace(grant: Grant): HoldNotes | undefined {
  const { trace } = grant;
  grant.trace = undefined;
  return trace;
}
