const FEWEST_ENTRIES = 256;

/**
 * When to look through a map for entries that can be forgotten: each time their number has doubled since the last look, which visits
 * at most two entries for each one that was added.
 */
export class SweepPace {
  #sweepAt = FEWEST_ENTRIES;

  isDue(entries: number): boolean {
    return entries >= this.#sweepAt;
  }

  /** Waits for twice as many as are in use after this look. */
  restart(inUse: number): void {
    this.#sweepAt = Math.max(FEWEST_ENTRIES, 2 * inUse);
  }
}
