import type { Clock, Timer } from '../../../../spi/clock.ts';

/** The interval of PINGs on a connection for messages, and the time that an answer may take. */
const BEAT_MS = 5_000;
/** A timer later than this was not delayed by other timers: the process was suspended. */
const STOOD_STILL_MS = 100;
/** Long enough for the event loop to read what has arrived. */
const ONE_TURN_MS = 1;

/**
 * Detects a dead connection. A machine that lost its power, or a router that dropped the connection, sends neither FIN nor
 * RST: a subscriber sends nothing, so its kernel never finds out, and every waiter would depend on its own polls, seconds
 * apart, for as long as the process lives.
 *
 * Reports the silence at most two beats, 10 seconds, after it began. The price is one PING in 5 seconds for each
 * connection, for any number of waiters.
 */
export class Heartbeat {
  readonly #clock: Clock;
  readonly #ping: () => Promise<unknown>;
  readonly #onSilence: () => void;
  #timer: Timer | undefined;
  #lookAt = 0;
  #heard = true;

  constructor(clock: Clock, ping: () => Promise<unknown>, onSilence: () => void) {
    this.#clock = clock;
    this.#ping = ping;
    this.#onSilence = onSilence;
    this.#lookIn(BEAT_MS);
  }

  /** Records a sign of life. */
  readonly recordAnswer = (): void => {
    this.#heard = true;
  };

  stop(): void {
    this.#timer?.cancel();
  }

  #lookIn(ms: number): void {
    this.#lookAt = this.#clock.now() + ms;
    this.#timer = this.#clock.timer(ms, () => this.#look());
  }

  #look(): void {
    // The race: the answer arrived while the process was suspended, and timers run before the socket is read.
    if (this.#clock.now() - this.#lookAt > STOOD_STILL_MS) return this.#lookIn(ONE_TURN_MS);
    if (!this.#heard) return this.#onSilence();
    this.#heard = false;
    this.#ping().then(this.recordAnswer, this.recordAnswer);
    this.#lookIn(BEAT_MS);
  }
}
