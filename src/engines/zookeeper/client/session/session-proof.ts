/** How much earlier than the server the client stops believing, as everywhere in this package: 1 % and 20 ms. */
const MARGIN_SHARE = 0.01;
const MARGIN_MS = 20;
/**
 * A leader asks each follower every half tick which sessions it has heard from. A session has at least two ticks, unless an
 * administrator has set `minSessionTimeout` below that, so half a tick is at most a quarter of the session.
 */
const COLLECTED_WITHIN = 1 / 4;
/** Proof needs the last few only; see {@link SessionProof.recordAnswer}. */
const KEPT = 16;

interface AnsweredSync {
  readonly sentAt: number;
  readonly answeredAt: number;
  /** The latest send time that the leader's question must have covered when this was answered. */
  readonly coveredTo: number;
}

/**
 * Until when a session certainly lives: the send time of the last request that is *proven* to have moved the leader's clock for
 * it, plus the session's time.
 *
 * Only the leader ends sessions. A follower answers pings by itself, also when it has lost its leader, and passes the touches of
 * its clients on only when the leader asks, every half tick. A request that the leader answers itself (`sync`, a write) does not
 * touch the session there. So neither an answered ping nor an answered `sync` says that the leader's clock was moved. Three
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

  /** The deadline, and when the request was sent that it is counted from. */
  get times(): { readonly deadline: number; readonly provenAt: number } {
    return { deadline: this.deadline, provenAt: this.#touchedAt };
  }

  /** When the client stops believing in its session. */
  get deadline(): number {
    return this.#touchedAt + this.#sessionMs * (1 - MARGIN_SHARE) - MARGIN_MS;
  }

  /**
   * A new connection, whose handshake was sent then. That is a proof by itself: a new session begins, and an old one is
   * presented to the leader, which moves its clock.
   */
  recordConnect(sentAt: number, sessionMs: number): void {
    this.#sessionMs = sessionMs;
    this.#touchedAt = Math.max(this.#touchedAt, sentAt);
    // What another server has noted says nothing about this one.
    this.#answered = [];
  }

  /** A sync was answered. Whether the deadline has moved. Syncs are sent one at a time. */
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
