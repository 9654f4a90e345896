/** So many names are remembered: an estimate of how many semaphores a process finds full at one time. */
const MOST_NAMES = 1000;

/** The names of what was found full when it was last asked for, the latest of them. */
export class CrowdedNames {
  readonly #names = new Set<string>();

  has(name: string): boolean {
    return this.#names.has(name);
  }

  add(name: string): void {
    this.#names.delete(name);
    this.#names.add(name);
    if (this.#names.size <= MOST_NAMES) return;
    const [oldest] = this.#names;
    this.#names.delete(oldest!);
  }

  delete(name: string): void {
    this.#names.delete(name);
  }
}
