/** The listeners for something that a driver reports itself, because no event of its client does. */
export class Listeners<Args extends readonly unknown[] = []> {
  readonly #calls = new Set<(...args: Args) => void>();

  add(listener: (...args: Args) => void): () => void {
    // A new function, so that the same listener can be added twice and removed once.
    const call = (...args: Args): void => listener(...args);
    this.#calls.add(call);
    return () => this.#calls.delete(call);
  }

  tell(...args: Args): void {
    for (const call of this.#calls) call(...args);
  }

  clear(): void {
    this.#calls.clear();
  }
}
