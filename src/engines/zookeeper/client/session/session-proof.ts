/** How much earlier than the server the client counts the session as ended, as everywhere in this package: 1 % and 20 ms. */
const MARGIN_SHARE = 0.01;
const MARGIN_MS = 20;
/**
 * A leader asks each follower every half tick which sessions it has heard from. A session has at least two ticks, unless an
 * administrator has set `minSessionTimeout` below that, so half a tick is at most a quarter of the session.
 */
const COLLECTED_WITHIN = 1 / 4;
/** A proof needs only the last few syncs; see {@link SessionProof.recordAnswer}. */
const KEPT = 16;

interface AnsweredSync {
  readonly sentAt: number;
  readonly answeredAt: number;
  /** The latest send time that the leader's question must have covered when this sync was answered. */
  readonly coveredTo: number;
}

/**
 * Computes until when a session certainly lives: the send time of the last request that is *proven* to have moved the leader's
 * deadline for it, plus the session's time.
 *
 * Only the leader ends sessions. A follower answers pings by itself, also when it has lost its leader, and passes the touches of
 * its clients on only when the leader asks, every half tick. A request that the leader answers itself (`sync`, a write) does not
 * touch the session there. So neither an answered ping nor an answered `sync` proves that the leader moved its deadline. Three
 * syncs in a row do:
 *
 * 1. Y is answered: the follower has noted the touch of Y.
 * 2. X, sent at least half a tick after that, is answered. In between the leader has put a question into its stream to the
 *    follower, and the answer to X came behind it: the follower has written its reply, with the touch of Y, to the leader.
 * 3. Z, sent after the answer to X, is answered. Its request went to the leader behind that reply: the leader has read it, and
 *    its clock for the session runs from then, which is later than Y was sent.
 */
export class SessionProof {
  #sessionMs = 0;
  #touchedAt = -Infinity;
  #answered: AnsweredSync[] = [];

  /** The deadline, and when the request was sent that the deadline counts from. */
  get times(): { readonly deadline: number; readonly provenAt: number } {
    return { deadline: this.deadline, provenAt: this.#touchedAt };
  }

  /** When the client counts its session as ended. */
  get deadline(): number {
    return this.#touchedAt + this.#sessionMs * (1 - MARGIN_SHARE) - MARGIN_MS;
  }

  /**
   * Records a new connection, by the send time of its handshake. The handshake is a proof by itself: it begins a new session, or
   * presents an old one to the leader, which moves its deadline.
   */
  recordConnect(sentAt: number, sessionMs: number): void {
    this.#sessionMs = sessionMs;
    this.#touchedAt = Math.max(this.#touchedAt, sentAt);
    // The touches at another server prove nothing about this one.
    this.#answered = [];
  }

  /** Records the answer to a sync, and returns whether the deadline has moved. Syncs are sent one at a time. */
  recordAnswer(sentAt: number, answeredAt: number): boolean {
    const wait = this.#sessionMs * COLLECTED_WITHIN;
    let coveredTo = -Infinity;
    let touchedAt = this.#touchedAt;
    for (const before of this.#answered) {
      if (before.answeredAt + wait <= sentAt) coveredTo = Math.max(coveredTo, before.sentAt);
      if (before.answeredAt <= sentAt) touchedAt = Math.max(touchedAt, before.coveredTo);
    }
    this.#answered.push({ sentAt, answeredAt, coveredTo });
    if (this.#answered.length > KEPT) this.#answered.shift();
    const moved = touchedAt > this.#touchedAt;
    this.#touchedAt = touchedAt;
    return moved;
  }
}
