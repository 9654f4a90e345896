import { type Labels, labelsOf, type NameOf, type Observed } from './labels.ts';

/** How many things there are at this moment, by their labels. */
export class Tally<T extends Observed> {
  readonly #present = new Set<T>();
  readonly #nameOf: NameOf | undefined;
  readonly #counts: (one: T) => boolean;
  /** Labels that were counted once: they go on as zero, where a series that ends would look like a gap. */
  readonly #known = new Map<string, Labels>();

  constructor(nameOf: NameOf | undefined, counts: (one: T) => boolean = () => true) {
    this.#nameOf = nameOf;
    this.#counts = counts;
  }

  add(one: T): void {
    this.#present.add(one);
  }

  remove(one: T): void {
    this.#present.delete(one);
  }

  /** Counted when it is asked for, which is seldom: an acquisition says that it waits by a mark, and not by an event. */
  count(): readonly { readonly labels: Labels; readonly count: number }[] {
    const counts = new Map<string, number>();
    for (const one of this.#present) {
      if (!this.#counts(one)) continue;
      const labels = labelsOf(one, this.#nameOf);
      const key = JSON.stringify(labels);
      this.#known.set(key, labels);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return [...this.#known].map(([key, labels]) => ({ labels, count: counts.get(key) ?? 0 }));
  }
}
