import type { Clock, Timer } from '../../../../spi/clock.ts';

/** A connection that has carried nothing for this long is sent a PING. */
const QUIET_MS = 9_000;
/**
 * The time that an answer may take: a server that runs a script answers nothing for 5 seconds, and BUSY from then on. With the quiet
 * before it, and a new connection after it, it is less than 15 seconds.
 */
const ANSWER_MS = 5_500;
/** A timer later than this was not delayed by other timers: the process was suspended. */
const STOOD_STILL_MS = 100;
/** Long enough for the event loop to read what has arrived. */
const ONE_TURN_MS = 1;

/**
 * Detects a dead connection. A machine that lost its power, or a router that dropped the connection, sends neither FIN nor
 * RST: a subscriber sends nothing, so its kernel never finds out, and every waiter would depend on its own polls, seconds
 * apart, for as long as the process lives.
 *
 * Reports the silence at most 14.5 seconds after it began. Everything that the server sends is a sign of life, so that a connection
 * with messages needs no PING. A quiet one has one in 9 seconds, for any number of waiters: 1,000 clients that wait send
 * 111 a second.
 */
export class Heartbeat {
  readonly #clock: Clock;
  readonly #ping: () => Promise<unknown>;
  readonly #onSilence: () => void;
  #timer: Timer | undefined;
  #lookAt = 0;
  #heardAt: number;
  #isAnswerDue = false;

  constructor(clock: Clock, ping: () => Promise<unknown>, onSilence: () => void) {
    this.#clock = clock;
    this.#ping = ping;
    this.#onSilence = onSilence;
    this.#heardAt = clock.now();
    this.#lookIn(QUIET_MS);
  }

  /** Records that the server has sent something. */
  readonly recordTraffic = (): void => {
    this.#heardAt = this.#clock.now();
    this.#isAnswerDue = false;
  };

  stop(): void {
    this.#timer?.cancel();
  }

  #lookIn(ms: number): void {
    this.#lookAt = this.#clock.now() + ms;
    this.#timer = this.#clock.timer(ms, () => this.#look());
  }

  #look(): void {
    const now = this.#clock.now();
    // The race: the answer arrived while the process was suspended, and timers run before the socket is read.
    if (now - this.#lookAt > STOOD_STILL_MS) return this.#lookIn(ONE_TURN_MS);
    if (this.#isAnswerDue) return this.#onSilence();
    // Counted from the last traffic and not from the last look: a connection that goes silent right after a look would be asked
    // nearly two intervals later.
    const quietMs = now - this.#heardAt;
    if (quietMs < QUIET_MS) return this.#lookIn(QUIET_MS - quietMs);
    this.#isAnswerDue = true;
    this.#ping().then(this.recordTraffic, this.recordTraffic);
    this.#lookIn(ANSWER_MS);
  }
}
