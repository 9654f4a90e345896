/** One of two processes: the first holds something and lets it go, the second waits for that. */
export interface RelayEnd {
  hold(): Promise<void>;
  /** Returns when it has asked. */
  ask(): Promise<void>;
  /** Lets go after a while, and tells when. */
  letGo(afterMs: number): Promise<number>;
  /** When it was let in. */
  entered(): Promise<number>;
  giveBack(): Promise<void>;
}
