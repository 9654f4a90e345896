/** A pending call of a {@link Clock}. */
export interface Timer {
  /** Keeps the call from happening. Safe to call twice. */
  cancel(): void;
  /** Decides whether the timer keeps the process alive; timers of the keeper do not. */
  keepsAlive(yes: boolean): void;
}

/** The only source of time. The engine object passes it to everything that waits or measures, so that a simulation can replace it. */
export interface Clock {
  /** Milliseconds that only grow, counting the time the machine was suspended. Says nothing about the date. */
  now(): number;
  /** Milliseconds since the epoch, for an engine that lives in this process. Never goes back. */
  epochNow(): number;
  /** Calls once, not before `delayMs` have passed. Does not keep the process alive until `keepsAlive(true)`. */
  timer(delayMs: number, call: () => void): Timer;
  /**
   * Calls some time after the target was garbage-collected. Left out by a clock of a simulation, whose runs must be
   * repeatable: no hold is taken for forgotten there.
   */
  whenCollected?(target: object, call: () => void): void;
}

/** The only source of chance. */
export interface Random {
  /** 128 random bits as 32 hexadecimal digits. */
  id(): string;
  /** A number in [0, 1). */
  fraction(): number;
}
