/** What was last seen of a document; nothing of it that is not there. */
export interface Sight {
  readonly version: string | undefined;
  readonly state: unknown;
  /** The document word for word, if only a message has said that it is there. */
  readonly told?: string | undefined;
}

/** Of so many documents it is remembered what was last seen: those in use. */
const MOST = 1000;

/** What a client has last seen of each document, so that it need not look before it writes. */
export class DocumentCache {
  /** In the order of the last sight: the first to go has not been seen for longest. */
  readonly #sights = new Map<string, Sight & { readonly at: number }>();

  get(kind: string, name: string): Sight | undefined {
    return this.#sights.get(keyOf(kind, name));
  }

  /** `at`: when it was so, by the store's clock. */
  set(kind: string, name: string, { version, state, told }: Sight, at: number): void {
    const key = keyOf(kind, name);
    this.#sights.delete(key);
    if (version === undefined) return;
    this.#sights.set(key, { version, state, told, at });
    if (this.#sights.size <= MOST) return;
    const [oldest] = this.#sights.keys();
    this.#sights.delete(oldest!);
  }

  /** What a message tells, which may have been overtaken by what we have seen since. */
  hear(kind: string, name: string, sight: Sight, at: number): void {
    const known = this.#sights.get(keyOf(kind, name));
    if (known !== undefined && (known.version === sight.version || known.at >= at)) return;
    this.set(kind, name, sight, at);
  }

  clear(): void {
    this.#sights.clear();
  }
}

function keyOf(kind: string, name: string): string {
  return `${kind}:${name}`;
}
