export type Release = () => Promise<unknown>;

/** Locks over one connection of this process. */
export interface Locker {
  /** Makes what a floor needs for its loop and a lock would not have: called before anything is measured. */
  prepare?(name: string): void;
  /**
   * Acquires and releases `pairs` times, one after the other. The loop is the library's own: a shared loop with a
   * callback would add the same cost to every contestant, and so draw all ratios towards one.
   */
  loop(name: string, pairs: number): Promise<void>;
  /** Resolves once the lock is held, to the function that releases it. */
  acquire(name: string): Promise<Release>;
  close(): Promise<void>;
}

/** Something that can be compared: a lock library in one setting, or what it could at best be made of. */
export interface Library {
  readonly name: string;
  /**
   * On the server at this port of the loopback, or on a file in this folder. What it needs is imported now and not with
   * its name: a process that gets the name of one library would load them all, and start ten times as long.
   */
  readonly open: (port: number, folder: string) => Promise<Locker>;
}
