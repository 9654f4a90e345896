import type { Clock } from '../../spi/clock.ts';

/** How much slower than the engine's our clock may run and the bound still holds. */
const DRIFT = 0.001;
/** Engines that count in whole milliseconds seem to be behind a bound that has fractions. */
const WHOLE_MS = 1;

/** What is known of an engine's clock from its replies: never an estimate, always a lower bound (soundness 5). */
export class EngineTime {
  readonly #clock: Clock;
  #engineNow = -Infinity;
  #heardAt = 0;
  /** When the last reply came, whether or not it raised the bound. */
  #repliedAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * How far the bound may have fallen behind one that a fresh reply would give: it grows with the time since the last reply,
   * and a client that was idle for an hour would set limits that are past before they are sent.
   *
   * The tempting alternative counts from the reply that the bound comes from. When the way to the engine has become longer,
   * from 5 ms to 800 ms say, no reply raises the bound for minutes: each request would ask for the time first, in vain. A
   * reply that does not raise the bound shows that the bound is no worse than one made of that reply, and both grow alike.
   */
  slackMs(now = this.#clock.now()): number {
    return this.#engineNow === -Infinity ? Infinity : (now - this.#repliedAt) * DRIFT * 2;
  }

  /**
   * A reply has just arrived to what was asked at `askedAt`, and was decided when the engine's clock showed `engineNow`.
   *
   * A reply below the bound is one of two things. It may be late: a faster reply to a later request has raised the bound,
   * and to follow the late one would only lower it. Or the engine's clock was set back: then the bound is above the
   * clock and is none, every limit made of it lies ahead of the clock by the whole step (soundness 3), and because no
   * reply raises it the slack grows until each request asks for the time first. The tempting test, whether the reply is
   * below the bound by much, takes a long wait in a socket for a step. The time of the request tells them apart: the
   * engine decides after it is asked, so with a steady clock no reply shows less than the bound at `askedAt`.
   *
   * Neither mistake could raise the bound: each reply is a lower bound by itself, because its decision is past.
   */
  noteTime(engineNow: number, askedAt: number): void {
    const now = this.#clock.now();
    this.#repliedAt = now;
    if (engineNow <= this.atLeast(now) && engineNow + WHOLE_MS >= this.#atLeastAt(askedAt)) return;
    this.#engineNow = engineNow;
    this.#heardAt = now;
  }

  /** The engine's clock shows at least this now. */
  atLeast(now = this.#clock.now()): number {
    return this.#engineNow + (now - this.#heardAt) * (1 - DRIFT);
  }

  /** What the engine's clock showed at least at a time that may lie before the last reply: there a slow clock has gained. */
  #atLeastAt(then: number): number {
    const sinceMs = then - this.#heardAt;
    return this.#engineNow + sinceMs * (sinceMs < 0 ? 1 + DRIFT : 1 - DRIFT);
  }
}
