import type { Pending } from '../../spi/maybe-async.ts';

/** A step of a wait that is on the wire: an attempt or a watch. Calls `settled` when it has an outcome. */
export class StepUnderWay<R> {
  readonly step: Pending<R>;
  readonly isAttempt: boolean;
  outcome: { readonly value: R } | { readonly error: unknown } | undefined;

  constructor(step: Pending<R>, isAttempt: boolean, settled: () => void) {
    this.step = step;
    this.isAttempt = isAttempt;
    step.then(
      (value) => {
        this.outcome = { value };
        settled();
      },
      (error: unknown) => {
        this.outcome = { error };
        settled();
      },
    );
  }
}
