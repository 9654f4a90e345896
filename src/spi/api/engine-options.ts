/** What users may set on every engine. */
export interface EngineOptions {
  /** Tells engines apart in errors, events and the order of a multi-lock. */
  readonly label?: string;
  /** The lease of holds that are renewed: what a crashed holder keeps others waiting for. 30 seconds without it. */
  readonly renewalLeaseMs?: number;
  /** Renewal of a hold that was forgotten ends after this time; without it, never. */
  readonly maxHoldMs?: number;
}
