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

/** The same as it is told over there. */
export interface Relay extends Omit<RelayEnd, 'letGo'> {
  /**
   * Returns before it lets go. To answer then would wake whoever asked, in the very moment that is measured, and take a
   * processor from the three who hand over.
   */
  letGoSoon(afterMs: number): Promise<void>;
  /** When it has let go. */
  letGoAt(): Promise<number>;
}
