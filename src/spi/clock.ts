/** A pending call of a {@link Clock}. */
export interface Timer {
  cancel(): void;
  /** Whether it keeps the process alive; timers of the keeper do not. */
  keepsAlive(yes: boolean): void;
}

/** All time there is. Everything that waits or measures is handed one, which is what makes simulation possible. */
export interface Clock {
  /** Milliseconds that only grow, counting the time the machine was suspended. Says nothing about the date. */
  now(): number;
  /** Milliseconds since the epoch, for an engine that lives in this process. Never goes back. */
  epochNow(): number;
  /** Calls back once, not before `delayMs` have passed. Does not keep the process alive unless told to. */
  timer(delayMs: number, call: () => void): Timer;
}

/** All chance there is. */
export interface Random {
  /** 128 random bits as 32 hexadecimal digits. */
  id(): string;
  /** A number in [0, 1). */
  fraction(): number;
}
