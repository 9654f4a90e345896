import type { Fleet } from '../fleet.ts';
import { act, beginSection, type Surroundings, type Work } from '../worker.ts';

interface Shelf {
  readonly items: readonly number[];
  readonly made: number;
  readonly taken: number;
}

const EMPTY: Shelf = { items: [], made: 0, taken: 0 };
const ROOM = 3;

/** A bounded queue: what was put in comes out once, and nothing else does. */
export class MonitorLedger {
  #next = 0;
  readonly #put = new Set<number>();
  readonly #maybePut = new Set<number>();
  readonly #got = new Map<number, string>();
  #maybeGot = 0;

  readonly work: Work = async (at: Surroundings) =>
    at.dice.chance(0.5) ? this.#produce(at) : this.#consume(at);

  async #produce(at: Surroundings): Promise<void> {
    const item = this.#next++;
    this.#maybePut.add(item);
    const put = await this.#shelf(at).run(async (m) => {
      const room = (shelf: Shelf) => shelf.items.length < ROOM;
      if (!(await m.waitUntil('notFull', room, { timeoutMs: 2000 }))) return false;
      act(at, beginSection(at, 'monitor', 'a', m.hold, true), m.hold);
      await at.process.sleep(at.dice.between(0, 50));
      m.set({ ...m.state, items: [...m.state.items, item], made: m.state.made + 1 });
      m.signal('notEmpty');
      return true;
    });
    this.#maybePut.delete(item);
    if (!put) return;
    this.#put.add(item);
    at.history.count('put');
  }

  async #consume(at: Surroundings): Promise<void> {
    this.#maybeGot++;
    const got = await this.#shelf(at).run(async (m) => {
      if (!(await m.waitUntil('notEmpty', ({ items }) => items.length > 0, { timeoutMs: 2000 })))
        return undefined;
      await at.process.sleep(at.dice.between(0, 50));
      const [item, ...items] = m.state.items;
      m.set({ ...m.state, items, taken: m.state.taken + 1 });
      m.signal('notFull');
      return item;
    });
    this.#maybeGot--;
    if (got === undefined) return;
    at.history.count('got');
    const before = this.#got.get(got);
    if (before !== undefined)
      at.history.problem(`item ${got} was taken by ${before} and by ${at.process.name}`);
    if (!this.#put.has(got) && !this.#maybePut.has(got)) at.history.problem(`item ${got} was never put in`);
    this.#got.set(got, at.process.name);
  }

  check(fleet: Fleet): void {
    const { value } = fleet.server.look('monitor', 'a') as { readonly value?: Shelf };
    const shelf = value ?? EMPTY;
    const missing = [...this.#put].filter((item) => !this.#got.has(item) && !shelf.items.includes(item));
    if (missing.length > this.#maybeGot) {
      fleet.history.problem(
        `${missing.join(', ')} were put in and are gone; only ${this.#maybeGot} takes are not known`,
      );
    }
    if (shelf.made - shelf.taken !== shelf.items.length) fleet.history.problem('the shelf does not add up');
  }

  #shelf(at: Surroundings) {
    return at.engine.monitor<Shelf>('a', { initial: EMPTY });
  }
}
