import type { MaybeAsync } from '../maybe-async.ts';

/**
 * How the connection of a session stands, as the engine reports it.
 *
 * Only an answer of the store proves that the session lives, and it proves that for the moment in which the heartbeat was
 * SENT: the store starts its time-out when the heartbeat arrives, which is never before that moment. To count from the answer
 * instead, or from the moment in which the connection broke, is how other libraries report a loss when another client is in.
 */
export type LivenessNews =
  /** A heartbeat was acknowledged, or the session was opened or resumed. Reported for every acknowledgement. */
  | {
      readonly kind: 'connected';
      /** The store's own name for the session. Another one than before means that the session before has ended. */
      readonly session: string;
      /** When the acknowledged request was sent, by the client's clock. */
      readonly sentAt: number;
      /** What the store granted, which may differ from what was asked for. */
      readonly timeoutMs: number;
    }
  /** The connection broke, or no answer came for a while. Nothing is lost before the deadline: the session may be resumed. */
  | { readonly kind: 'suspended'; readonly error?: unknown }
  /** The store said that the session has ended. */
  | { readonly kind: 'lost' };

/**
 * The session of one client in a store that ends sessions itself and pushes what happens to them. What the client has in the
 * store dies with its session. Engines without such a session implement `SessionStore` instead.
 */
export interface Liveness {
  /**
   * Resolves once a session is open: opens one if there is none. Rejects when the store cannot be reached in the time that the
   * engine gives it.
   */
  open(): MaybeAsync<void>;
  /** Calls with all news from now on. There is one listener. */
  follow(heard: (news: LivenessNews) => void): void;
  /**
   * The client has stopped to believe in the session, though the store may still have it. The engine must not resume it: it
   * ends the session in the store as soon as it can, and opens another one when `open` is next called. Otherwise tickets of
   * holds that are lost keep others out for as long as the session is kept alive.
   */
  abandon(): void;
  /** Ends the session, and so all that belongs to it. Nothing is pushed afterwards. */
  close(): MaybeAsync<void>;
}
