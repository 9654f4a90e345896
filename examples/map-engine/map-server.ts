import type { Clock } from 'holdfast';

/** What the server keeps under a key. */
export interface VersionedText {
  readonly version: string;
  readonly text: string;
  /** The server drops the record at this time; Infinity for never. */
  readonly endsAt: number;
}

/** What the server answers: its time, since when it has kept its data, and what is there. */
export interface ServerReply {
  readonly now: number;
  readonly keptSince: number;
  readonly found: VersionedText | undefined;
}

/** Replaces a record if its version is the expected one and the server's clock is in the window. */
export interface CompareAndSet {
  readonly key: string;
  readonly expected: string | undefined;
  readonly version: string;
  readonly text: string;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly ttlMs: number;
  /** Sent to every watcher of the key, if the record was replaced; undefined to send nothing. */
  readonly message: string | undefined;
}

type Heard = (message: string, key: string) => void;

/** A server for this page: a map of versioned texts, with a clock and watchers. */
export class MapServer {
  readonly #clock: Clock;
  readonly #keptSince: number;
  readonly #records = new Map<string, VersionedText>();
  readonly #watchers = new Map<string, Set<Heard>>();

  /** `keptSince`: the time of the first start, if the server has just been set up and has lost nothing since. */
  constructor(clock: Clock, keptSince = 0) {
    this.#clock = clock;
    this.#keptSince = keptSince;
  }

  read(key: string): ServerReply {
    const now = this.#clock.epochNow();
    const found = this.#records.get(key);
    const isThere = found !== undefined && found.endsAt > now;
    if (!isThere) this.#records.delete(key);
    return { now, keptSince: this.#keptSince, found: isThere ? found : undefined };
  }

  compareAndSet(change: CompareAndSet): ServerReply & { readonly isWritten: boolean } {
    const { key, expected, version, text, notBefore, notAfter, ttlMs, message } = change;
    const reply = this.read(key);
    const { now } = reply;
    const isInTime = notBefore <= now && now < notAfter;
    if (!isInTime || reply.found?.version !== expected) return { ...reply, isWritten: false };
    this.#records.set(key, { version, text, endsAt: now + ttlMs });
    for (const watched of [key, EVERY_KEY])
      if (message !== undefined) for (const heard of this.#watchers.get(watched) ?? []) heard(message, key);
    return { ...reply, isWritten: true };
  }

  /** The next `most` keys behind `after`, in their order. */
  keysAfter(after: string, most: number): readonly string[] {
    return [...this.#records.keys()]
      .filter((key) => key > after)
      .toSorted()
      .slice(0, most);
  }

  watch(key: string, heard: Heard): () => void {
    const watchers = this.#watchers.get(key) ?? new Set<Heard>();
    this.#watchers.set(key, watchers.add(heard));
    return () => {
      watchers.delete(heard);
      // A second call must not take the watchers away that came since.
      if (watchers.size === 0 && this.#watchers.get(key) === watchers) this.#watchers.delete(key);
    };
  }

  /** How many watch anything: for the harness, which looks for what a client leaves behind. */
  get watchers(): number {
    return [...this.#watchers.values()].reduce((sum, { size }) => sum + size, 0);
  }
}

/** Watches all keys. */
export const EVERY_KEY = '*';
