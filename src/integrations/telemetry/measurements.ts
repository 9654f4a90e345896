import { AcquireTimeoutError, LeaseLostError, type LossReason } from '../../spi/errors.ts';
import type { AcquireTrace, HoldTrace, RenewalTrace } from '../../spi/synchronizers.ts';
import { errorType, type Labels, labelsOf, type NameOf, type Observed } from './labels.ts';
import { subscribe, type TraceObserver } from './subscribe.ts';
import { Tally } from './tally.ts';

/** Adds to a counter: one, or `by`. */
export type Count = (labels: Labels, by?: number) => void;

/** Where measurements go: instruments of OpenTelemetry or of Prometheus. */
export interface Instruments {
  recordWait(seconds: number, labels: Labels): void;
  recordHold(seconds: number, labels: Labels): void;
  readonly countAcquired: Count;
  readonly countTimeout: Count;
  readonly countLost: Count;
  readonly countRefusal: Count;
  readonly countRenewalFailure: Count;
}

const LOSS_REASONS = Object.keys({
  expired: true,
  gone: true,
  'session-ended': true,
  closed: true,
} satisfies Record<LossReason, true>);

/** Turns what the channels say into measurements. */
export class Measurements implements TraceObserver {
  readonly holds: Tally<HoldTrace>;
  readonly waiters: Tally<AcquireTrace>;
  readonly #instruments: Instruments;
  readonly #nameOf: NameOf | undefined;
  /** Labels whose counters exist. */
  readonly #counted = new Set<string>();
  readonly stop: () => void;

  constructor(instruments: Instruments, nameOf: NameOf | undefined) {
    this.#instruments = instruments;
    this.#nameOf = nameOf;
    this.holds = new Tally(nameOf);
    this.waiters = new Tally(nameOf, ({ waited }) => waited);
    this.stop = subscribe(this);
  }

  countRefusal(of: Observed): void {
    this.#instruments.countRefusal(labelsOf(of, this.#nameOf));
  }

  beginAcquire(trace: AcquireTrace): void {
    this.waiters.add(trace);
  }

  /** A re-entry is no acquisition: it asks no store, and its owner has the lock already. */
  endAcquire(trace: AcquireTrace): void {
    this.waiters.remove(trace);
    if (trace.reentered) return;
    const { error, result, elapsedMs = 0 } = trace;
    const labels = labelsOf(trace, this.#nameOf);
    this.#beginCounters(labels);
    const hasTimedOut = error instanceof AcquireTimeoutError || (error === undefined && result === null);
    const failed = hasTimedOut ? 'ACQUIRE_TIMEOUT' : error === undefined ? undefined : errorType(error);
    this.#instruments.recordWait(
      elapsedMs / 1000,
      failed === undefined ? labels : { ...labels, 'error.type': failed },
    );
    if (hasTimedOut) this.#instruments.countTimeout(labels);
    else if (failed === undefined) this.#instruments.countAcquired(labels);
  }

  beginHold(trace: HoldTrace): void {
    this.holds.add(trace);
  }

  endHold(trace: HoldTrace): void {
    this.holds.remove(trace);
    const labels = labelsOf(trace, this.#nameOf);
    const { error, elapsedMs = 0 } = trace;
    this.#instruments.recordHold(elapsedMs / 1000, labels);
    if (error instanceof LeaseLostError)
      this.#instruments.countLost({ ...labels, 'holdfast.reason': error.reason });
  }

  /** A renewal that found its hold gone has not failed: that is a loss, and counted as one. */
  endRenewal(trace: RenewalTrace): void {
    if (trace.error === undefined || trace.error instanceof LeaseLostError) return;
    this.#instruments.countRenewalFailure(labelsOf(trace, this.#nameOf));
  }

  /**
   * Counters of what should not happen are there from the first acquisition on, at zero. Prometheus knows an increase only from one
   * sample to the next: a counter that appears with the first loss, at one, has never increased, and no alert would tell of that loss.
   */
  #beginCounters(labels: Labels): void {
    const key = Object.values(labels).join('\n');
    if (this.#counted.has(key)) return;
    this.#counted.add(key);
    const { countTimeout, countLost, countRefusal, countRenewalFailure } = this.#instruments;
    for (const count of [countTimeout, countRefusal, countRenewalFailure]) count(labels, 0);
    for (const reason of LOSS_REASONS) countLost({ ...labels, 'holdfast.reason': reason }, 0);
  }
}
