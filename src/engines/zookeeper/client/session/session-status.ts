/**
 * The state of a session, and until when it certainly lives.
 *
 * - `connecting`: no server has granted a session yet.
 * - `connected`: a server answers. The deadline moves with every proof.
 * - `suspended`: no server answers, but the session may live on. Its nodes exist at least until the deadline.
 * - `lost`: ended for good, by the deadline, by the server, or by `close`. A new client is a new session.
 */
export type SessionStatus =
  | { readonly state: 'connecting' }
  | {
      readonly state: 'connected';
      readonly deadline: number;
      /** What the deadline is counted from: the send time of the request that is the proof. */
      readonly provenAt: number;
    }
  | { readonly state: 'suspended'; readonly deadline: number; readonly cause: Error }
  | { readonly state: 'lost'; readonly cause: Error };

/** A session as the server granted it: `grantedMs` counts, and may differ from the request. */
export interface GrantedSession {
  readonly id: bigint;
  readonly requestedMs: number;
  readonly grantedMs: number;
}
