import { isHoldfastError } from 'holdfast';
import type { Fleet } from '../fleet.ts';
import type { Surroundings, Work } from '../worker.ts';

const COUNT = 1_000_000;

/** Every countDown that was answered must count once, every one whose outcome is not known at most once. */
export class LatchLedger {
  #counted = 0;
  #unknown = 0;

  readonly work: Work = async (at: Surroundings) => {
    const latch = at.engine.latch('a');
    await latch.trySetCount(COUNT);
    this.#unknown++;
    try {
      await latch.countDown();
      this.#counted++;
      this.#unknown--;
      at.history.count('countDown');
    } catch (error) {
      // Refused before it was sent.
      if (isHoldfastError(error) && error.code === 'CLOSED') this.#unknown--;
      throw error;
    }
  };

  check(fleet: Fleet): void {
    const { count } = fleet.server.look('latch', 'a') as { readonly count: number };
    const down = count === 0 ? 0 : COUNT - count;
    if (down < this.#counted || down > this.#counted + this.#unknown) {
      fleet.history.problem(
        `the latch counted ${down}, ${this.#counted} were answered and ${this.#unknown} are not known`,
      );
    }
  }
}
