import type { Client } from '../../core/client.ts';
import { EngineTimes } from './engine-times.ts';

/** A request is repeated, and its copies are carried out, for this many time-outs of a command (soundness 3). */
export const TRIES = 2;
/**
 * Limits are whole multiples of this part of the time-out, so that requests right behind each other name the same number:
 * client and server would make a string of a new number each time. They are rounded down, because a copy that dies sooner
 * needs no longer mark.
 */
const LIMITS_IN_A_TIMEOUT = 16;
/** A mark outlives the last copy by this: two looks at the server's clock may differ. */
const KEPT_LONGER_MS = 1000;
/**
 * A request that is refused as late is sent anew so often. Each reconnect between a look at the clock and the request makes
 * one refusal: a failover makes several. A clock that jumps without end must not keep a caller without end.
 */
const LATE_ROUNDS = 5;
/** The bound on a server's clock may fall behind by this part of the time-out before the server is asked for its time. */
const SLACK_IN_A_TIMEOUT = 10;

/**
 * Until when, by the clock of its server, a copy of a request may be carried out (soundness 3). What is known of that clock
 * is a lower bound (soundness 5), so a limit made of it is early if anything, and never lets a copy live for longer than
 * its caller repeats it.
 */
export class RequestLimits {
  readonly #client: Client;
  readonly #timeoutMs: number;
  readonly #stepMs: number;
  /** Each server has a clock of its own. */
  readonly #times: EngineTimes;
  readonly #learning = new Map<string, Promise<void>>();

  constructor(client: Client, timeoutMs: number, times = new EngineTimes(client.clock)) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
    this.#stepMs = Math.max(1, Math.floor(timeoutMs / LIMITS_IN_A_TIMEOUT));
    this.#times = times;
  }

  /** How long the mark of a request is kept. */
  get markMs(): number {
    return TRIES * this.#timeoutMs + KEPT_LONGER_MS;
  }

  /** Whether the bound is close enough to set limits by it. */
  isKnown(server: string, now: number): boolean {
    return this.#times.of(server).slackMs(now) <= this.#timeoutMs / SLACK_IN_A_TIMEOUT;
  }

  /** The limit of a request that is sent now. A clock that is not known gives a limit that is past, and so no harm. */
  notAfter(server: string, now: number): number {
    const limitMs = Math.max(0, this.#times.of(server).atLeast(now)) + TRIES * this.#timeoutMs;
    return Math.floor(limitMs / this.#stepMs) * this.#stepMs;
  }

  /** How long a mark must stay so that no copy with this limit can get past it. */
  outlastsMs(server: string, notAfterMs: number): number {
    const now = this.#times.of(server).atLeast();
    const left = now === -Infinity ? TRIES * this.#timeoutMs : notAfterMs - now;
    return Math.ceil(Math.max(0, left)) + KEPT_LONGER_MS;
  }

  /** A reply to what was sent at `askedAt`. */
  noteTime(server: string, engineNow: number, askedAt: number): void {
    this.#times.of(server).noteTime(engineNow, askedAt);
  }

  /**
   * Asks for the time of a server. Many callers want it at once, after a silence or a reconnect: one of them asks, and what
   * they share must tell no caller's name, so `ask` rejects with a `SharedFailure`. `answeredBy` names the server when its
   * answer is there: a client that has not connected yet does not know which one it will be.
   */
  learn(server: string, ask: () => PromiseLike<number>, answeredBy: () => string): Promise<void> {
    const learning = this.#learning.get(server) ?? this.#ask(server, ask, answeredBy);
    this.#learning.set(server, learning);
    return learning;
  }

  async #ask(server: string, ask: () => PromiseLike<number>, answeredBy: () => string): Promise<void> {
    const askedAt = this.#client.clock.now();
    try {
      const engineNow = await ask();
      this.noteTime(answeredBy(), engineNow, askedAt);
    } finally {
      this.#learning.delete(server);
    }
  }

  /**
   * The server has refused a request as late; `copies` of it were sent, with the limit `notAfterMs`. A single copy certainly
   * did nothing, and so did every copy of a limit that was past before it was sent: what was known of the clock was wrong,
   * and the request may be sent once more by the right time. Otherwise an earlier copy may have been carried out.
   *
   * Keeps what is known of the clock: the caller has just noted the time of the refusal itself. The tempting alternative
   * forgets it, because it was wrong. Of three requests that are refused together, the third then forgets the time that the
   * first two have learned again, and both are refused a second time.
   */
  judgeLate(copies: number, notAfterMs: number, round: number): 'again' | 'nothing-done' | 'unknown' {
    const wasPast = notAfterMs <= TRIES * this.#timeoutMs;
    if (copies > 1 && !wasPast) return 'unknown';
    return round < LATE_ROUNDS ? 'again' : 'nothing-done';
  }

  /** Another server may have taken over, with another clock. */
  forgetAll(): void {
    this.#times.forgetAll();
  }
}
