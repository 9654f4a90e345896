/** What users may set on every engine. */
export interface EngineOptions {
  /** Tells engines apart in errors, events and the order of a multi-lock. */
  readonly label?: string;
  /** The lease of renewed holds, 30,000 ms by default: how long the waiters of a crashed holder wait. */
  readonly renewalLeaseMs?: number;
  /** Ends the renewal of a forgotten hold after this time. Without it the hold is renewed without limit. */
  readonly maxHoldMs?: number;
}
