import type { Clock, Timer } from '../../../../spi/clock.ts';

/** The time that an answer to a PING may take, and the pause before the first. */
const BEAT_MS = 5_000;
/** The pauses double up to this one while the connection answers. */
const LONGEST_PAUSE_MS = 30_000;
/** A timer later than this was not delayed by other timers: the process was suspended. */
const STOOD_STILL_MS = 100;
/** Long enough for the event loop to read what has arrived. */
const ONE_TURN_MS = 1;

/**
 * Detects a dead connection. A machine that lost its power, or a router that dropped the connection, sends neither FIN nor
 * RST: a subscriber sends nothing, so its kernel never finds out, and every waiter would depend on its own polls, seconds
 * apart, for as long as the process lives.
 *
 * Reports the silence of a new connection at most 10 seconds after it began, that of one which has answered for half a minute
 * at most 35 seconds after. The price is at last one PING in 35 seconds for each connection, for any number of waiters.
 *
 * The tempting alternative asks every 5 seconds without end: a thousand clients that wait and do nothing else would ask the
 * server 200 times a second for that alone. A waiter whose turn is near polls by itself meanwhile, every third of a lease.
 */
export class Heartbeat {
  readonly #clock: Clock;
  readonly #ping: () => Promise<unknown>;
  readonly #onSilence: () => void;
  #timer: Timer | undefined;
  #lookAt = 0;
  #heard = true;
  #pauseMs = BEAT_MS;
  #isAsked = false;

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
    this.#isAsked = !this.#isAsked;
    if (!this.#isAsked) {
      this.#lookIn(this.#pauseMs);
      this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
      return;
    }
    this.#heard = false;
    this.#ping().then(this.recordAnswer, this.recordAnswer);
    this.#lookIn(BEAT_MS);
  }
}
