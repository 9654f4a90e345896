/** What happened, for those who listen. */
export interface HoldfastEvent {
  readonly kind: string;
  readonly name: string;
  readonly engine: string;
  readonly owner?: string;
  readonly fence?: bigint;
  /** How long it took to acquire, or how long it was held. */
  readonly elapsedMs?: number;
  readonly error?: unknown;
}

export interface EventMap {
  readonly acquire: HoldfastEvent;
  readonly release: HoldfastEvent;
  readonly renew: HoldfastEvent;
  readonly lost: HoldfastEvent;
  readonly contended: HoldfastEvent;
  /** A background step failed and will be tried again or is given up: the release of a hold, a renewal, a withdrawal. */
  readonly trouble: HoldfastEvent;
}
