/** What the server has granted. */
export interface GrantedLease {
  readonly id: bigint;
  readonly requestedMs: number;
  readonly grantedMs: number;
}

/** News of a client's lease. */
export type LeaseStatus =
  /** It was alive at a moment not before `provenAt`, and from then on lasts as long as was granted. */
  | { readonly state: 'connected'; readonly provenAt: number }
  | { readonly state: 'suspended'; readonly cause: unknown }
  /** The server does not know it any more. */
  | { readonly state: 'lost' };
