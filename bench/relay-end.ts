/** One of two processes: the first holds a lock and releases it, the second waits for the lock. */
export interface RelayEnd {
  hold(): Promise<void>;
  /** Returns when it has asked. */
  ask(): Promise<void>;
  /** Releases after a while, and returns when. */
  letGo(afterMs: number): Promise<number>;
  /** When it acquired. */
  entered(): Promise<number>;
  giveBack(): Promise<void>;
}

/** The same, as the parent asks for it in the other process. */
export interface Relay extends Omit<RelayEnd, 'letGo'> {
  /**
   * Returns before it releases. An answer at the release would wake the parent in the very moment that is measured, and take
   * a processor from the two processes and the server that hand over.
   */
  letGoSoon(afterMs: number): Promise<void>;
  /** When it has released. */
  letGoAt(): Promise<number>;
}
