/** The verbs of the latch. */
export type LatchVerbs = {
  /** Sets the count of a latch that is open; refused while it counts. */
  readonly trySetCount: {
    readonly ask: { readonly count: number };
    readonly answer: { readonly set: boolean };
  };
  /** Never below zero. The step that reaches zero wakes all waiters. */
  readonly countDown: { readonly ask: { readonly by: number }; readonly answer: { readonly count: number } };
  /** Sets the count whatever it was; zero opens. */
  readonly reset: { readonly ask: { readonly count: number }; readonly answer: { readonly count: number } };
};

/** What a query shows of a latch. */
export interface LatchLook {
  readonly count: number;
  /**
   * Names the time for which the latch is closed: another one means that it was open in between. Undefined where that is
   * not known.
   */
  readonly round: number | undefined;
}
