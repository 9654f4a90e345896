import { SweepPace } from '../../../../core/queues/sweep-pace.ts';
import type { Clock } from '../../../../spi/clock.ts';
import type { OwnerId } from '../../../../spi/rule.ts';

/**
 * Added to the moment after which no copy can take effect: the reading of the database's clock may have been a little
 * slow.
 */
const AFTER_THE_LIMIT_MS = 100;

/** The attempts of one owner at a row, from its first request to its release. */
export interface RowAttempt {
  /** The limit of the attempt under way, in microseconds of the database: later it takes no effect. */
  limit: number;
  isUnderWay: boolean;
  /** Whether every copy of the attempt under way was answered. */
  isCertain: boolean;
  /** Until when, by our clock, a copy of any attempt of this owner may still be carried out. */
  mayComeUntil: number;
  /** Whether the owner has left, perhaps before its attempt was sent. */
  isWithdrawn: boolean;
}

/**
 * What may still happen in the table for owners that leave. The table has no room for the tombstone of soundness 3, so the
 * release of such an owner is repeated once nothing of it can come any more.
 *
 * The tempting alternative keeps the limit of the last attempt only. An owner that waits asks every 100 ms: the first request
 * stalls on a lost connection, the next ones are refused in time, and the first is carried out after the owner has left.
 */
export class RowAttempts {
  readonly #clock: Clock;
  readonly #lateAfterMs: number;
  readonly #byOwner = new Map<OwnerId, RowAttempt>();
  readonly #sweepPace = new SweepPace();

  constructor(clock: Clock, lateAfterMs: number) {
    this.#clock = clock;
    this.#lateAfterMs = lateAfterMs;
  }

  get size(): number {
    return this.#byOwner.size;
  }

  /** Begins an attempt of this owner. Nothing of it was sent yet. */
  begin(owner: OwnerId): RowAttempt {
    const known = this.#byOwner.get(owner);
    const attempt = known ?? {
      limit: 0,
      isUnderWay: true,
      isCertain: true,
      mayComeUntil: -Infinity,
      isWithdrawn: false,
    };
    attempt.isUnderWay = true;
    attempt.isCertain = true;
    if (known === undefined) this.#byOwner.set(owner, attempt);
    if (this.#sweepPace.isDue(this.#byOwner.size)) this.#sweep();
    return attempt;
  }

  /** Sends the attempt, which the database refuses after `limit`, and waits for its outcome. */
  async send<T>(attempt: RowAttempt, limit: number, sent: () => Promise<T>): Promise<T> {
    const earlier = attempt.mayComeUntil;
    attempt.limit = limit;
    attempt.mayComeUntil = this.#clock.now() + this.#lateAfterMs + AFTER_THE_LIMIT_MS;
    try {
      return await sent();
    } finally {
      if (attempt.isCertain) attempt.mayComeUntil = earlier;
    }
  }

  /** Ends the attempt. Its owner is forgotten unless a copy may still take effect. */
  end(owner: OwnerId, attempt: RowAttempt): void {
    attempt.isUnderWay = false;
    if (attempt.mayComeUntil <= this.#clock.now()) this.#byOwner.delete(owner);
  }

  /**
   * The owner leaves: what it has not sent yet is not sent. Answers until when a copy of it may still take effect, or
   * undefined. To be called before the release is sent: an attempt that is answered before the release may have been
   * carried out after it.
   */
  withdraw(owner: OwnerId): number | undefined {
    const attempt = this.#byOwner.get(owner);
    if (attempt === undefined) return undefined;
    attempt.isWithdrawn = true;
    return attempt.mayComeUntil > this.#clock.now() ? attempt.mayComeUntil : undefined;
  }

  /** Forgets the owner: its release was answered. */
  forget(owner: OwnerId): void {
    this.#byOwner.delete(owner);
  }

  /** In an outage no release is answered: forgets owners once no copy of theirs can take effect any more. */
  #sweep(): void {
    const now = this.#clock.now();
    for (const [owner, { isUnderWay, mayComeUntil }] of this.#byOwner)
      if (!isUnderWay && mayComeUntil <= now) this.#byOwner.delete(owner);
    this.#sweepPace.restart(this.#byOwner.size);
  }
}
