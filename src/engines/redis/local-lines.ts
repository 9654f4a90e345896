import type { OwnerId } from '../../spi/rule.ts';

/**
 * Those of this process who wait for one thing, where the server keeps no line: in the order of asking, and only the
 * first of them asks the server. Without it every message would send all of them to ask, and whoever is quickest would
 * pass those who came before.
 */
export class LocalLines {
  readonly #lines = new Map<string, OwnerId[]>();
  /** How to call whoever has become the first. */
  readonly #calls = new Map<OwnerId, () => void>();

  /** How many stand in line. */
  waiting(name: string): number {
    return this.#lines.get(name)?.length ?? 0;
  }

  /** Whether it is this one's turn to ask. One that will wait takes its place in line with that. */
  mayAsk(name: string, owner: OwnerId, waits: boolean): boolean {
    const line = this.#lines.get(name);
    if (line === undefined) {
      if (waits) this.#lines.set(name, [owner]);
      return true;
    }
    if (waits && !line.includes(owner)) line.push(owner);
    return line[0] === owner;
  }

  /** Whether somebody stands before this one: then a message is not for it. */
  isBehind(name: string, owner: OwnerId): boolean {
    return (this.#lines.get(name)?.indexOf(owner) ?? -1) > 0;
  }

  /** Has gone in or given up: whoever is behind is called. */
  leave(name: string, owner: OwnerId): void {
    const line = this.#lines.get(name);
    const place = line?.indexOf(owner) ?? -1;
    if (line === undefined || place === -1) return;
    line.splice(place, 1);
    const [next] = line;
    if (next === undefined) this.#lines.delete(name);
    else if (place === 0) this.#calls.get(next)?.();
  }

  /** From now on `call` is called when the owner becomes the first. */
  listen(owner: OwnerId, call: () => void): () => void {
    this.#calls.set(owner, call);
    return () => {
      if (this.#calls.get(owner) === call) this.#calls.delete(owner);
    };
  }
}
