import type { Clock, Timer } from '../../spi/clock.ts';

/**
 * The longest sleep. A machine that wakes up from a suspend has lost that time, but timers have not; looking at the
 * clock at least this often bounds how late a loss is reported.
 */
const LONGEST_SLEEP_MS = 1000;

/** Something to be done at a time. */
export abstract class TimerTask {
  /** When, by the timer queue's clock. Set when it is made: a number here at birth would be an object for nothing. */
  at!: number;
  /** Where it stands in the timer queue's heap; -1 when it does not. */
  slot = -1;
  /** Whether a caller waits for it, so that the process must not end before. */
  abstract get keepsAlive(): boolean;
  abstract due(now: number): void;
}

/**
 * All that one client has to do later, behind a single timer.
 *
 * The tempting alternative, a timer for each hold and each wait, costs one creation and one cancellation for every
 * acquisition, nearly all of which end long before. Here they cost a push to and a removal from a heap, and the one
 * timer that is left over finds nothing to do.
 */
export class TimerQueue {
  readonly #clock: Clock;
  readonly #heap: TimerTask[] = [];
  #timer: Timer | undefined;
  #timerAt = Infinity;
  #alive = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many tasks there are. */
  get size(): number {
    return this.#heap.length;
  }

  [Symbol.iterator](): Iterator<TimerTask> {
    return this.#heap.values();
  }

  /** Makes or moves an task. */
  set(task: TimerTask, at: number): void {
    if (task.slot === -1) {
      task.slot = this.#heap.push(task) - 1;
      if (task.keepsAlive) this.#countAlive(1);
    }
    task.at = at;
    this.#settle(task);
    if (at < this.#timerAt) this.#arm();
  }

  /** Cancels an task, if there is one. */
  drop(task: TimerTask): void {
    const { slot } = task;
    if (slot === -1) return;
    task.slot = -1;
    const last = this.#heap.pop();
    if (last !== undefined && last !== task) {
      this.#heap[slot] = last;
      last.slot = slot;
      this.#settle(last);
    }
    if (task.keepsAlive) this.#countAlive(-1);
  }

  /** Forgets everything and stops the timer. */
  clear(): void {
    for (const task of this.#heap) task.slot = -1;
    this.#heap.length = 0;
    this.#alive = 0;
    this.#disarm();
  }

  #countAlive(by: 1 | -1): void {
    this.#alive += by;
    if (this.#alive === (by === 1 ? 1 : 0)) this.#timer?.keepsAlive(by === 1);
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerAt = Infinity;
  }

  #arm(): void {
    this.#disarm();
    const first = this.#heap[0];
    if (first === undefined) return;
    const now = this.#clock.now();
    const delayMs = Math.min(Math.max(0, first.at - now), LONGEST_SLEEP_MS);
    this.#timerAt = now + delayMs;
    this.#timer = this.#clock.timer(delayMs, () => this.#ring());
    if (this.#alive > 0) this.#timer.keepsAlive(true);
  }

  /** Nothing that is due can keep another from its turn: tasks never throw, and new ones wait for the next timer. */
  #ring(): void {
    const now = this.#clock.now();
    for (let first = this.#heap[0]; first !== undefined && first.at <= now; first = this.#heap[0]) {
      this.drop(first);
      first.due(now);
    }
    this.#arm();
  }

  #settle(task: TimerTask): void {
    const heap = this.#heap;
    let slot = task.slot;
    for (let parent = (slot - 1) >> 1; slot > 0; parent = (slot - 1) >> 1) {
      const above = heap[parent];
      if (above === undefined || above.at <= task.at) break;
      heap[slot] = above;
      above.slot = slot;
      slot = parent;
    }
    for (;;) {
      let child = 2 * slot + 1;
      const left = heap[child];
      if (left === undefined) break;
      const right = heap[child + 1];
      const below = right !== undefined && right.at < left.at ? heap[++child]! : left;
      if (below.at >= task.at) break;
      heap[slot] = below;
      below.slot = slot;
      slot = child;
    }
    heap[slot] = task;
    task.slot = slot;
  }
}
