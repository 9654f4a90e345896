import { waitFor } from '../fixtures/wait-for.ts';

/** What tells of its waiters. */
interface Telling {
  on(event: 'contended', listener: (event: { readonly name: string }) => void): unknown;
}

/** Knows when something waits in this process. */
export class NodeWaits {
  readonly #contended = new Map<string, number>();

  listenTo(locks: Telling): void {
    locks.on('contended', ({ name }) => this.#contended.set(name, this.#times(name) + 1));
  }

  /** Begins something that waits for this name, and resolves once it does, to the promise of its outcome. */
  readonly begin = async <T>(
    name: string,
    begin: () => Promise<T>,
  ): Promise<{ readonly outcome: Promise<T> }> => {
    const before = this.#times(name);
    const outcome = begin();
    outcome.catch(() => undefined);
    await waitFor('a client waits in Node', () => this.#times(name) > before);
    return { outcome };
  };

  #times(name: string): number {
    return this.#contended.get(name) ?? 0;
  }
}
