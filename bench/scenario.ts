/** A lock made ready to be measured. */
export interface Bout {
  /**
   * Acquires and releases `pairs` times, one after the other. The loop is the contestant's own: a shared loop with
   * a callback would add the same cost to everyone, and so draw all ratios towards one.
   */
  loop(pairs: number): Promise<void>;
  close(): Promise<void>;
}

export interface Contestant {
  readonly name: string;
  open(): Promise<Bout>;
}

export interface Scenario {
  readonly name: string;
  /** Where the locks live, for `--engine`. */
  readonly engine: string;
  /** The contestant that all ratios refer to. */
  readonly baseline: string;
  readonly contestants: readonly Contestant[];
  /** Does `pairs` pairs; the runner repeats it until a round is long enough. */
  readonly pairs: number;
  perform(bout: Bout, pairs: number): Promise<unknown>;
}
