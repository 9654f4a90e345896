import { MemoryStore } from '../../src/engines/memory/index.ts';
import type { Clock } from '../../src/spi/clock.ts';
import type { CellStore } from '../../src/spi/engine/cells.ts';
import type { Unwatch } from '../../src/spi/engine/protocol.ts';
import type { Decide, Facts, OwnerId, Rule, Verbs } from '../../src/spi/rule.ts';

type Cells<S> = ReturnType<typeof MemoryStore.prototype.cells<S, Verbs, unknown>>;

/**
 * One client's way to a store that others use too. It can be cut, as a kill cuts it: then no step arrives any more, and
 * no client is called back.
 */
export class MemoryLink extends MemoryStore {
  readonly #store: MemoryStore;
  #cut = false;

  constructor(store: MemoryStore, clock: Clock) {
    super(clock);
    this.#store = store;
  }

  /** Whether it was cut. */
  get dead(): boolean {
    return this.#cut;
  }

  cut(): void {
    this.#cut = true;
  }

  override cells<S, V extends Verbs, L>(kind: string, rule: Rule<S, V, L>): Cells<S> {
    const cells = this.#store.cells(kind, rule);
    const linked: CellStore<S> = {
      update: <Ask, Answer>(key: string, decide: Decide<S, Ask, Answer>, ask: Ask) =>
        this.#send(() => cells.update(key, decide, ask)),
      read: <T>(key: string, look: (state: S | undefined, facts: Facts) => T) =>
        this.#send(() => cells.read(key, look)),
      watch: (key: string, owner: OwnerId, heard: () => void) =>
        this.#send(() => this.#watch(cells, key, owner, heard)),
    };
    // An engine uses its cells as any other store's: nothing but these three.
    return linked as unknown as Cells<S>;
  }

  override beat(client: string, ttlMs: number): 'alive' | 'ended' {
    return this.#send(() => this.#store.beat(client, ttlMs)) as 'alive' | 'ended';
  }

  override end(client: string): void {
    void this.#send(() => this.#store.end(client));
  }

  /** Its steps are decided elsewhere, by the clock of the store behind it. */
  override keepsTimeOf(): boolean {
    return false;
  }

  #watch<S>(cells: Cells<S>, key: string, owner: OwnerId, heard: () => void): Unwatch {
    // The store forgets a watcher whose connection is gone; here it does so when it next wants to call it.
    const unwatch = cells.watch(key, owner, () => (this.#cut ? unwatch() : heard()));
    return unwatch;
  }

  #send<T>(step: () => T): T | Promise<T> {
    return this.#cut ? new Promise<never>(() => undefined) : step();
  }
}
