import { NoAnswerError } from '../../core/async/in-time.ts';
import type { Clock, Timer } from '../../spi/clock.ts';

/** A call that waits for its slot. */
interface Queued {
  readonly at: number;
  readonly begin: () => void;
  readonly giveUp: (error: NoAnswerError) => void;
}

export interface SlotsOptions {
  readonly clock: Clock;
  /** How many calls the way to the store carries at once. */
  readonly count: number;
  /** How long a call waits while the store answers none of the calls before it. */
  readonly patienceMs: number;
}

/**
 * Admits as many calls at once as the way to the store carries; a call decides and counts its time only when it has a slot.
 *
 * The tempting alternative hands every call to the pool of the client and lets the pool queue it. A decision that waits
 * there for longer than it is good for (soundness 5) is refused by the store and made again, and a call that waits there
 * for longer than a command may take is sent twice: 3,000 free names at once cost 9,000 to 17,000 statements over a pool
 * of ten, and all of them failed under load.
 */
export class Slots {
  readonly #clock: Clock;
  readonly #patienceMs: number;
  /** Calls that release or renew overtake calls that want to come in (soundness 21). */
  readonly #urgent: Queued[] = [];
  readonly #patient: Queued[] = [];
  #free: number;
  #answeredAt = -Infinity;
  #timer: Timer | undefined;

  constructor({ clock, count, patienceMs }: SlotsOptions) {
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    this.#free = count;
  }

  /**
   * Undefined if a slot is free, so that the usual call waits for no promise. Otherwise resolves when the call has its slot,
   * and rejects when the store has answered no call for as long as this one may wait.
   */
  take(isUrgent: boolean): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free--;
      return undefined;
    }
    return new Promise((begin, giveUp) => {
      (isUrgent ? this.#urgent : this.#patient).push({ at: this.#clock.now(), begin, giveUp });
      if (this.#timer === undefined) this.#arm(this.#patienceMs);
    });
  }

  /** The call is over: the next one has its slot. */
  give(): void {
    const next = this.#urgent.shift() ?? this.#patient.shift();
    if (next === undefined) {
      this.#free++;
      this.#timer?.cancel();
      this.#timer = undefined;
      return;
    }
    next.begin();
  }

  /** The store has answered: calls in line have a reason to wait on, however long the line is. */
  answered(): void {
    if (this.#timer !== undefined) this.#answeredAt = this.#clock.now();
  }

  #arm(ms: number): void {
    this.#timer = this.#clock.timer(ms, () => this.#giveUpOnSilence());
    this.#timer.keepsAlive(true);
  }

  #giveUpOnSilence(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    let soonest = Infinity;
    for (const queue of [this.#urgent, this.#patient]) {
      for (let [head] = queue; head !== undefined; [head] = queue) {
        const leftMs = Math.max(head.at, this.#answeredAt) + this.#patienceMs - now;
        if (leftMs > 0) {
          soonest = Math.min(soonest, leftMs);
          break;
        }
        queue.shift();
        head.giveUp(new NoAnswerError(this.#patienceMs));
      }
    }
    if (soonest < Infinity) this.#arm(soonest);
  }
}
