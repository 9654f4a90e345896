/** What was last seen of a document; nothing of it that is not there. */
export interface Sight {
  readonly version: string | undefined;
  readonly state: unknown;
}

/** Of so many documents it is remembered what was last seen: those in use. */
const MOST = 1000;

/** What a client has last seen of each document, so that it need not look before it writes. */
export class LastSeen {
  /** In the order of the last sight: the first to go has not been seen for longest. */
  readonly #sights = new Map<string, Sight>();

  get(kind: string, name: string): Sight | undefined {
    return this.#sights.get(keyOf(kind, name));
  }

  set(kind: string, name: string, { version, state }: Sight): void {
    const key = keyOf(kind, name);
    this.#sights.delete(key);
    if (version === undefined) return;
    this.#sights.set(key, { version, state });
    if (this.#sights.size <= MOST) return;
    const [oldest] = this.#sights.keys();
    this.#sights.delete(oldest!);
  }

  clear(): void {
    this.#sights.clear();
  }
}

function keyOf(kind: string, name: string): string {
  return `${kind}:${name}`;
}
