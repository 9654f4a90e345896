/** What users may set on every engine. */
export interface EngineOptions {
  /** Tells engines apart in errors, events and the order of a multi-lock. */
  readonly label?: string;
  /** The lease of renewed holds, 30,000 ms by default: how long the waiters of a crashed holder wait. */
  readonly renewalLeaseMs?: number;
  /** What this client calls itself to others, beside its host and pid: `web`, `billing-worker`. */
  readonly name?: string;
  /**
   * Whether this client announces its host, its pid, its command and its `name` in the store, where every user that may read it
   * sees who holds what. True by default.
   */
  readonly announce?: boolean;
  /** Ends the renewal of a forgotten hold after this time. Without it the hold is renewed without limit. */
  readonly maxHoldMs?: number;
}
