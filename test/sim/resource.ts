import type { History, Section } from './history.ts';

/**
 * What the locks protect: takes a write only if its fence is not lower than the highest it has seen. The check on top:
 * once another section's write was taken, none of an earlier one may be.
 */
export class FencedResource {
  readonly #history: History;
  #highest = 0n;
  #last: Section | undefined;
  readonly #over = new Set<number>();

  constructor(history: History) {
    this.#history = history;
  }

  write(section: Section): void {
    if (section.fence < this.#highest) {
      this.#history.count('stale writes refused');
      return;
    }
    this.#highest = section.fence;
    this.#history.count('writes taken');
    if (this.#last !== undefined && this.#last.id !== section.id) this.#over.add(this.#last.id);
    if (this.#over.has(section.id)) {
      this.#history.problem(
        `a write of section ${section.id} was taken after one of section ${this.#last?.id}`,
      );
    }
    this.#last = section;
  }
}
