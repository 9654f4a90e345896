import type { LocalWaiter } from './local-waiter.ts';

/** The waiters of this process for one name, in the order in which they came. */
export class LocalQueue {
  protected first: LocalWaiter | undefined;
  #last: LocalWaiter | undefined;
  #waiting = 0;

  get waiting(): number {
    return this.#waiting;
  }

  /** The waiter that is next. */
  get head(): LocalWaiter | undefined {
    return this.first;
  }

  protected append(waiter: LocalWaiter): void {
    waiter.before = this.#last;
    if (this.#last === undefined) this.first = waiter;
    else this.#last.after = waiter;
    this.#last = waiter;
    this.#waiting++;
  }

  protected remove(waiter: LocalWaiter): void {
    if (waiter.before === undefined) this.first = waiter.after;
    else waiter.before.after = waiter.after;
    if (waiter.after === undefined) this.#last = waiter.before;
    else waiter.after.before = waiter.before;
    this.#waiting--;
  }
}
