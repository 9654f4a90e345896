import { subjectOf } from '../../kernels/assemble.ts';
import type { Unwatch } from '../../spi/protocol.ts';
import type { OwnerId } from '../../spi/rule.ts';
import type { SqlValue } from './sql-client.ts';
import type { Statements } from './statements.ts';
import { callMeant, EVERYBODY } from './wake-message.ts';

/** So many names are looked at with one statement. */
const CHUNK = 500;

interface WatchedName {
  readonly kind: string;
  readonly name: string;
  readonly watchers: Map<() => void, OwnerId>;
  /** How many wake-ups the row had counted when it was last looked at; -1 if there was no row. */
  wakes: number;
  /** The first look at it. */
  begun: Promise<void> | undefined;
}

export interface RowWatchOptions {
  readonly statements: Statements;
  /** How long until the next look if nobody asks for one before. */
  readonly untilNextLookMs: () => number;
}

/**
 * Watches rows by looking at them: how many wake-ups each has counted, for all names that somebody here waits for, with
 * one statement. Looks when it is told to, and from time to time by itself; as long as nobody waits, never.
 */
export class RowWatch {
  readonly #statements: Statements;
  readonly #untilNextLookMs: () => number;
  readonly #names = new Map<string, WatchedName>();
  #ring: (() => void) | undefined;
  #running = false;
  #rung = false;

  constructor({ statements, untilNextLookMs }: RowWatchOptions) {
    this.#statements = statements;
    this.#untilNextLookMs = untilNextLookMs;
  }

  /** How many of this client wait for this name. */
  watching(kind: string, name: string): number {
    return this.#names.get(`${kind}:${name}`)?.watchers.size ?? 0;
  }

  /** How many names are waited for. */
  get size(): number {
    return this.#names.size;
  }

  /** Answers once it is known how many wake-ups there have been: from then on none is missed. */
  async watch(kind: string, name: string, owner: OwnerId, heard: () => void): Promise<Unwatch> {
    const key = `${kind}:${name}`;
    const known = this.#names.get(key);
    const watched: WatchedName = known ?? { kind, name, watchers: new Map(), wakes: -1, begun: undefined };
    watched.watchers.set(heard, owner);
    this.#names.set(key, watched);
    const unwatch = (): void => {
      watched.watchers.delete(heard);
      if (watched.watchers.size > 0 || this.#names.get(key) !== watched) return;
      this.#names.delete(key);
      if (this.#names.size === 0) this.#ring?.();
    };
    try {
      watched.begun ??= this.#look([watched]);
      await watched.begun;
    } catch (error) {
      watched.begun = undefined;
      unwatch();
      throw error;
    }
    if (this.#names.size > 0 && !this.#running) this.#statements.client.background(this.#run());
    return unwatch;
  }

  /** Something may have changed: looks as soon as it can. */
  look(): void {
    this.#rung = true;
    this.#ring?.();
  }

  /** Something was missed, or has become known that no row tells: everybody is to try again. */
  everybody(): void {
    for (const { watchers } of this.#names.values()) callMeant(watchers, EVERYBODY);
  }

  /** Those who wait for this name. */
  tell(kind: string, name: string, wake: string): void {
    const watched = this.#names.get(`${kind}:${name}`);
    if (watched !== undefined) callMeant(watched.watchers, wake);
  }

  async #run(): Promise<void> {
    const { client } = this.#statements;
    this.#running = true;
    const bell = client.bell();
    this.#ring = () => bell.ring();
    try {
      while (this.#names.size > 0 && !client.closed) {
        if (!this.#rung) await bell.sleep(client.clock.now() + this.#untilNextLookMs());
        if (client.closed) return;
        this.#rung = false;
        await this.#lookAtAll();
      }
    } finally {
      this.#ring = undefined;
      this.#running = false;
      client.dismiss(bell);
    }
  }

  async #lookAtAll(): Promise<void> {
    const { client } = this.#statements;
    const all = [...this.#names.values()];
    try {
      for (let from = 0; from < all.length; from += CHUNK) await this.#look(all.slice(from, from + CHUNK));
    } catch (error) {
      // What cannot be looked at is found out by those who try; they do so when their time has come.
      client.events.trouble.emit({ kind: 'watch', name: '', engine: client.label, error });
    }
  }

  async #look(names: readonly WatchedName[]): Promise<void> {
    const { client, dialect } = this.#statements;
    const [first] = names;
    if (first === undefined) return;
    const keys = JSON.stringify(names.map(({ kind, name }) => [kind, name]));
    const subject = subjectOf(first.kind, first.name, client.label);
    const { rows } = await this.#statements.runInTime(subject, dialect.wakes(keys));
    const seen = new Map(rows.map((row) => [`${String(row[0])}:${String(row[1])}`, row]));
    for (const watched of names) update(watched, seen.get(`${watched.kind}:${watched.name}`));
  }
}

/** Of one wake-up it is known whom it meant; of several only the last is known, and anybody may have been meant. */
function update(watched: WatchedName, row: readonly SqlValue[] | undefined): void {
  const wakes = row === undefined ? -1 : Number(row[2]);
  const before = watched.wakes;
  watched.wakes = wakes;
  if (wakes === before || (before === -1 && wakes === 0)) return;
  callMeant(watched.watchers, wakes === before + 1 ? String(row?.[3] ?? EVERYBODY) : EVERYBODY);
}
