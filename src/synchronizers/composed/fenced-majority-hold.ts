import type { Hold } from '../../spi/synchronizers.ts';
import { MajorityHold } from './majority-hold.ts';

/** A hold on a majority with a fence that is proven to increase. */
export class FencedMajorityHold extends MajorityHold implements Hold {
  readonly #fence: bigint;

  constructor(fence: bigint, ...held: ConstructorParameters<typeof MajorityHold>) {
    super(...held);
    this.#fence = fence;
  }

  get fence(): bigint {
    void this.remainingMs;
    return this.#fence;
  }
}
