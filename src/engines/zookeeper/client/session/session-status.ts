/**
 * Where a session is, and until when it certainly lives.
 *
 * - `connecting`: there has been no session yet.
 * - `connected`: a server answers. The deadline moves with every proof.
 * - `suspended`: no server answers, the session may go on. Its nodes stand at least until the deadline.
 * - `lost`: over for good, by the deadline, by the server's word, or by `close`. A new client is a new session.
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

/** A session as the server granted it: `grantedMs` is what counts, and need not be what was asked for. */
export interface GrantedSession {
  readonly id: bigint;
  readonly requestedMs: number;
  readonly grantedMs: number;
}
