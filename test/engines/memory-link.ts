import type { MemoryStore } from '../../src/engines/memory/index.ts';
import type { CellStore, SessionStore } from '../../src/spi/cells.ts';
import type { Unwatch } from '../../src/spi/protocol.ts';
import type { Decide, Facts, OwnerId, Rule, Verbs } from '../../src/spi/rule.ts';

/** How a step travels between a client and its store. */
export type Carry = <T>(step: () => T) => T | Promise<T>;

/** What the store was told of and what it keeps, by kind. */
export type Kinds = Map<string, () => { readonly records: number; readonly watchers: number }>;

/** One client's way to a store in this process. It can be cut: then no step arrives and no call comes back, as after a kill. */
export class MemoryLink implements SessionStore {
  readonly #store: MemoryStore;
  readonly #kinds: Kinds;
  readonly #carry: Carry;
  #cut = false;

  constructor(store: MemoryStore, kinds: Kinds, carry: Carry) {
    this.#store = store;
    this.#kinds = kinds;
    this.#carry = carry;
  }

  cells<S, V extends Verbs, L>(kind: string, rule: Rule<S, V, L>): CellStore<S> {
    const cells = this.#store.cells(kind, rule);
    this.#kinds.set(kind, () => cells.census());
    return {
      update: <Ask, Answer>(key: string, decide: Decide<S, Ask, Answer>, ask: Ask) =>
        this.#send(() => cells.update(key, decide, ask)),
      read: <T>(key: string, look: (state: S | undefined, facts: Facts) => T) =>
        this.#send(() => cells.read(key, look)),
      watch: (key: string, owner: OwnerId, heard: () => void) => this.#watch(cells, key, owner, heard),
    };
  }

  beat(client: string, ttlMs: number): 'alive' | 'ended' | Promise<'alive' | 'ended'> {
    return this.#send(() => this.#store.beat(client, ttlMs));
  }

  end(client: string): void | Promise<void> {
    return this.#send(() => this.#store.end(client));
  }

  cut(): void {
    this.#cut = true;
  }

  #watch<S>(cells: CellStore<S>, key: string, owner: OwnerId, heard: () => void) {
    let unwatch: Unwatch | undefined;
    // The store forgets a watcher when its connection is gone; here it does so when it next wants to call it.
    const call = () => (this.#cut ? unwatch?.() : heard());
    return this.#send(() => {
      const watching = cells.watch(key, owner, call) as Unwatch;
      unwatch = watching;
      return watching;
    });
  }

  #send<T>(step: () => T): T | Promise<T> {
    if (this.#cut) return new Promise<never>(() => undefined);
    const answer = this.#carry(step);
    return answer instanceof Promise ? answer.then((value) => this.#arrived(value)) : answer;
  }

  #arrived<T>(value: T): T | Promise<T> {
    return this.#cut ? new Promise<never>(() => undefined) : value;
  }
}
