import { createHash } from 'node:crypto';
import type { Dice } from './dice.ts';

interface Happening {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
  cancelled: boolean;
}

/** Simulated time and what happens in it. Nothing here knows the real clock. */
export class World {
  readonly dice: Dice;
  #now = 0;
  #order = 0;
  readonly #heap: Happening[] = [];
  readonly #lines: string[] | undefined;

  constructor(dice: Dice, keepTrace: boolean) {
    this.dice = dice;
    this.#lines = keepTrace ? [] : undefined;
  }

  get now(): number {
    return this.#now;
  }

  /** One thing to happen later. Returns a function that cancels it. */
  after(delayMs: number, run: () => void): () => void {
    const happening: Happening = {
      at: this.#now + Math.max(0, delayMs),
      order: this.#order++,
      run,
      cancelled: false,
    };
    this.#push(happening);
    return () => {
      happening.cancelled = true;
    };
  }

  /** Everything worth knowing goes here. Built only when the trace is wanted: it costs more than the run. */
  note(what: () => string): void {
    this.#lines?.push(`${this.#now.toFixed(3)} ${what()}`);
  }

  get trace(): readonly string[] {
    return this.#lines ?? [];
  }

  /** Two runs of one seed must share it. */
  hash(): string {
    return createHash('sha256').update(this.trace.join('\n')).digest('hex').slice(0, 16);
  }

  /** Lets time pass until `until`, one happening after the other, each with all its promises settled before the next. */
  async runUntil(until: number, done: () => boolean = () => false): Promise<void> {
    // What was begun outside has to come to its first wait before it is known what happens next.
    await settled();
    for (;;) {
      const next = this.#heap[0];
      if (next === undefined || next.at > until || done()) break;
      this.#pop();
      if (next.cancelled) continue;
      this.#now = next.at;
      next.run();
      await settled();
    }
    if (!done()) this.#now = Math.max(this.#now, until);
  }

  #push(happening: Happening): void {
    const heap = this.#heap;
    let at = heap.push(happening) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(happening, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = happening;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++;
      if (!before(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }
}

function before(one: Happening, other: Happening): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** One turn of the real loop drains every microtask, so the order of promises is the same in every run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
