import type { Unwatch } from '../spi/engine/protocol.ts';

/** Counts the waiters of this process, where the store keeps no line of them. */
export class WaiterCounts {
  readonly #counts = new Map<string, number>();

  count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** Counts one waiter more, until the returned function is called. */
  watch(name: string): Unwatch {
    this.#add(name, 1);
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.#add(name, -1);
    };
  }

  #add(name: string, more: 1 | -1): void {
    const count = this.count(name) + more;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
  }
}
