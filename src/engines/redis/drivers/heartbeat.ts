import type { Clock, Timer } from '../../../spi/clock.ts';

/** How often a connection for messages is asked for a sign of life, and how long it has for it. */
const BEAT_MS = 5_000;
/** A timer that is later than this was not kept waiting by other timers: the process has stood still. */
const STOOD_STILL_MS = 100;
/** Long enough for the loop to read what has come. */
const ONE_TURN_MS = 1;

/**
 * Notices that a connection carries nothing any more. A machine that lost its power, or a router that forgot the
 * connection, says neither FIN nor RST: a subscriber sends nothing, so its kernel never finds out, and whoever waits for a
 * message would be left to its own questions, seconds apart, for as long as the process lives.
 *
 * At most two beats after the silence began the connection is given up: 10 seconds. The price is one PING in 5 seconds
 * for each connection, however many wait.
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

  /** Something has come. */
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
    // The answer may have come while the process stood still, and timers are called before it is read.
    if (this.#clock.now() - this.#lookAt > STOOD_STILL_MS) return this.#lookIn(ONE_TURN_MS);
    if (!this.#heard) return this.#onSilence();
    this.#heard = false;
    this.#ping().then(this.recordAnswer, this.recordAnswer);
    this.#lookIn(BEAT_MS);
  }
}
