import { asPromise, type MaybeAsync } from '../../spi/maybe-async.ts';
import { inTime } from '../async/in-time.ts';
import type { Clock } from '../../spi/clock.ts';

/** No name is worth a longer wait. */
const LONGEST_MS = 3000;

/**
 * Requests about names, each with a limit of time: no driver is trusted to settle every promise it gives. All of them are given up
 * when the client closes, so that none of their timers outlives it.
 */
export class BoundedRequests {
  readonly #clock: Clock;
  readonly #underWay = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async inTime<T>(step: MaybeAsync<T>, limitMs = LONGEST_MS): Promise<T> {
    let giveUp!: () => void;
    const outcome = inTime(this.#clock, asPromise(step), limitMs, false, (begun) => {
      giveUp = begun;
    });
    this.#underWay.add(giveUp);
    try {
      return await outcome;
    } finally {
      this.#underWay.delete(giveUp);
    }
  }

  giveUpAll(): void {
    for (const giveUp of this.#underWay) giveUp();
  }
}
