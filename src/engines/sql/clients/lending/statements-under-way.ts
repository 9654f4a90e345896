import { systemClock } from '../../../../core/time/clock.ts';

/** A statement without an answer yet, with what its client needs to end it. */
export interface StatementUnderWay<T> {
  readonly statement: T;
  readonly sinceMs: number;
  isAbandoned: boolean;
}

/**
 * The statements of one client that wait for an answer, and the end of those that take too long. Runs no timer as long
 * as answers come: a timer for each statement would cost more than everything else here. Once one was abandoned, a
 * timer checks those that follow: the last of several tries has no later try that would end it.
 */
export class StatementsUnderWay<T> {
  readonly #abandon: (statement: T) => void;
  /** In the order in which they were sent. */
  readonly #all = new Set<StatementUnderWay<T>>();
  #looksAgain = false;

  constructor(abandon: (statement: T) => void) {
    this.#abandon = abandon;
  }

  add(statement: T): StatementUnderWay<T> {
    const underWay = { statement, sinceMs: systemClock.now(), isAbandoned: false };
    this.#all.add(underWay);
    return underWay;
  }

  remove(underWay: StatementUnderWay<T>): void {
    this.#all.delete(underWay);
  }

  abandonAfter(ms: number): void {
    const before = systemClock.now() - ms;
    for (const underWay of this.#all) {
      if (underWay.sinceMs > before) return;
      this.#all.delete(underWay);
      underWay.isAbandoned = true;
      this.#lookAgain(ms);
      this.#abandon(underWay.statement);
    }
  }

  #lookAgain(ms: number): void {
    if (this.#looksAgain) return;
    this.#looksAgain = true;
    systemClock.timer(ms, () => {
      this.#looksAgain = false;
      this.abandonAfter(ms);
      if (this.#all.size > 0) this.#lookAgain(ms);
    });
  }
}
