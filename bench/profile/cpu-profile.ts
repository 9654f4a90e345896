/** What `node --cpu-prof` writes, as far as it is read here. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** Which node was running at each look. */
  readonly samples: readonly number[];
  /** The time since the look before, in microseconds. */
  readonly timeDeltas: readonly number[];
}

export interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    readonly lineNumber: number;
  };
}
