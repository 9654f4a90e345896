import type { CellStore } from '../../spi/engine/cells.ts';
import type { Unwatch } from '../../spi/engine/protocol.ts';
import type { Decide, Facts, OwnerId, Wake } from '../../spi/rule.ts';
import type { MemoryStore } from './memory-store.ts';

/** How many steps lie between two sweeps of spent records, and how many records each sweep looks at. */
const SWEEP_EVERY = 256;
const SWEEP_SIZE = 512;

/** A box, so that a step on a known name touches the map once. */
interface Cell<S> {
  state: S | undefined;
}

/**
 * Cells in this process. A step is a function call that nothing can interrupt: that is the whole atomic section, and
 * because no copy of a call can arrive late there is nothing to remember about requests.
 */
export class MemoryCells<S> implements CellStore<S> {
  readonly #store: MemoryStore;
  readonly #kind: string;
  readonly #spent: (state: S, facts: Facts) => number | undefined;
  readonly #cells = new Map<string, Cell<S>>();
  readonly #watchers = new Map<string, Map<() => void, OwnerId>>();
  #steps = 0;
  #sweep: MapIterator<[string, Cell<S>]> | undefined;

  constructor(store: MemoryStore, kind: string, spent: (state: S, facts: Facts) => number | undefined) {
    this.#store = store;
    this.#kind = kind;
    this.#spent = spent;
  }

  update<Ask, Answer>(key: string, decide: Decide<S, Ask, Answer>, ask: Ask): Answer {
    const facts = this.#store.beginStep();
    const cell = this.#cells.get(key);
    const step = decide(cell?.state, ask, facts);
    if (cell !== undefined) cell.state = step.state;
    else if (step.state !== undefined) this.#cells.set(key, { state: step.state });
    if (step.wake !== 'none') this.#wake(key, step.wake);
    if (this.#store.isWatched) this.#store.tellChanged(this.#kind, key);
    if (++this.#steps % SWEEP_EVERY === 0) this.#sweepSome(facts);
    return step.answer;
  }

  read<L>(key: string, look: (state: S | undefined, facts: Facts) => L): L {
    return look(this.#cells.get(key)?.state, this.#store.beginStep());
  }

  watch(key: string, owner: OwnerId, heard: () => void): Unwatch {
    const watchers = this.#watchers.get(key) ?? new Map<() => void, OwnerId>();
    this.#watchers.set(key, watchers.set(heard, owner));
    return () => {
      watchers.delete(heard);
      if (watchers.size === 0 && this.#watchers.get(key) === watchers) this.#watchers.delete(key);
    };
  }

  names(): Iterable<string> {
    return this.#cells.keys();
  }

  watching(key: string): number {
    return this.#watchers.get(key)?.size ?? 0;
  }

  wakeAll(): void {
    for (const watchers of this.#watchers.values()) for (const heard of watchers.keys()) heard();
  }

  takeCensus(): { readonly records: number; readonly watchers: number } {
    const facts = this.#store.beginStep();
    for (const [key, cell] of this.#cells) this.#dropIfSpent(key, cell, facts);
    let watchers = 0;
    for (const of of this.#watchers.values()) watchers += of.size;
    return { records: this.#cells.size, watchers };
  }

  /**
   * Drops a record in which nothing matters any more. Not at once when a lock becomes free: it is often taken again,
   * and removing and inserting it costs more than the step.
   */
  #dropIfSpent(key: string, cell: Cell<S>, facts: Facts): void {
    const fence = cell.state === undefined ? 0 : this.#spent(cell.state, facts);
    if (fence === undefined) return;
    this.#store.raiseFenceFloor(fence);
    this.#cells.delete(key);
  }

  #wake(key: string, wake: Exclude<Wake, 'none'>): void {
    const watchers = this.#watchers.get(key);
    if (watchers === undefined) return;
    for (const [heard, owner] of watchers) {
      if (wake === 'anyone' || wake.includes(owner)) heard();
    }
  }

  /** Sweeps spent records: a few in passing, never all at once. */
  #sweepSome(facts: Facts): void {
    this.#sweep ??= this.#cells.entries();
    for (let looked = 0; looked < SWEEP_SIZE; looked++) {
      const next = this.#sweep.next();
      if (next.done === true) {
        this.#sweep = undefined;
        return;
      }
      this.#dropIfSpent(...next.value, facts);
    }
  }
}
