import type { Owing } from '../../spi/verbs/holding.ts';

/**
 * An acquisition that others of the same owner wait for. They ask nothing themselves, and see by it whether the store
 * answers: what they follow is the request of this acquisition or, before its turn, the line that it stands in.
 */
export class Followed implements Owing {
  /** Resolves when the acquisition is over, whatever became of it. */
  settled: Promise<void> = Promise.resolve();
  source: Owing | undefined;

  owedSince(): number | undefined {
    return this.source?.owedSince();
  }

  fullStore(): Error | undefined {
    return this.source?.fullStore?.();
  }
}
