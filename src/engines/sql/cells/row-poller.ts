import { subjectOf } from '../../../core/arguments.ts';
import type { Unwatch } from '../../../spi/engine/protocol.ts';
import type { OwnerId } from '../../../spi/rule.ts';
import type { SqlValue } from '../sql-client.ts';
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
  /** The version that the last look has seen, unless a wake-up has been told of since; undefined if there was no row. */
  version: string | undefined;
  /** How many wake-ups were told of beside the looks. */
  told: number;
  /** The first look at it. */
  begun: Promise<void> | undefined;
}

export interface RowPollerOptions {
  readonly statements: Statements;
  /** How long until the next look if nobody asks for one before. */
  readonly untilNextLookMs: () => number;
}

/**
 * Watches rows by looking at them: how many wake-ups each has counted, for all names that somebody here waits for, with
 * one statement. Looks when it is told to, and from time to time by itself; as long as nobody waits, never.
 */
export class RowPoller {
  readonly #statements: Statements;
  readonly #untilNextLookMs: () => number;
  readonly #names = new Map<string, WatchedName>();
  #ring: (() => void) | undefined;
  #running = false;
  #rung = false;

  constructor({ statements, untilNextLookMs }: RowPollerOptions) {
    this.#statements = statements;
    this.#untilNextLookMs = untilNextLookMs;
  }

  /** How many of this client wait for this name. */
  watching(kind: string, name: string): number {
    return this.#names.get(`${kind}:${name}`)?.watchers.size ?? 0;
  }

  /** See `ChangeFeed.seen`. */
  seen(kind: string, name: string): string | undefined {
    return this.#names.get(`${kind}:${name}`)?.version;
  }

  /** How many names are waited for. */
  get size(): number {
    return this.#names.size;
  }

  /** Answers once it is known how many wake-ups there have been: from then on none is missed. */
  async watch(kind: string, name: string, owner: OwnerId, heard: () => void): Promise<Unwatch> {
    const key = `${kind}:${name}`;
    const known = this.#names.get(key);
    const watched: WatchedName = known ?? {
      kind,
      name,
      watchers: new Map(),
      wakes: -1,
      version: undefined,
      told: 0,
      begun: undefined,
    };
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
  wakeAll(): void {
    for (const watched of this.#names.values()) call(watched, EVERYBODY);
  }

  /** Those who wait for this name. */
  tell(kind: string, name: string, wake: string): void {
    const watched = this.#names.get(`${kind}:${name}`);
    if (watched !== undefined) call(watched, wake);
  }

  async #run(): Promise<void> {
    const { client } = this.#statements;
    this.#running = true;
    const sleeper = client.makeSleeper();
    this.#ring = () => sleeper.wake();
    try {
      while (this.#names.size > 0 && !client.closed) {
        if (!this.#rung) await sleeper.sleep(client.clock.now() + this.#untilNextLookMs());
        if (client.closed) return;
        this.#rung = false;
        await this.#lookAtAll();
      }
    } finally {
      this.#ring = undefined;
      this.#running = false;
      client.releaseSleeper(sleeper);
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
    const told = names.map((watched) => watched.told);
    const { rows } = await this.#statements.runInTime(subject, dialect.wakes(keys));
    const seen = new Map(rows.map((row) => [`${String(row[0])}:${String(row[1])}`, row]));
    names.forEach((watched, at) => {
      const row = seen.get(`${watched.kind}:${watched.name}`);
      // The race: a wake-up is told of while a look is under way that has seen the row from before.
      const isLatest = watched.told === told[at];
      watched.version = row === undefined || !isLatest ? undefined : String(row[4]);
      update(watched, row);
    });
  }
}

/**
 * What was seen before the wake-up is no longer what is there. A waiter that took it for current would answer itself that
 * the lock is held, and sleep on beside a free one.
 */
function call(watched: WatchedName, wake: string): void {
  watched.version = undefined;
  watched.told++;
  callMeant(watched.watchers, wake);
}

/** Of one wake-up it is known whom it meant; of several only the last is known, and anybody may have been meant. */
function update(watched: WatchedName, row: readonly SqlValue[] | undefined): void {
  const wakes = row === undefined ? -1 : Number(row[2]);
  const before = watched.wakes;
  watched.wakes = wakes;
  if (wakes === before || (before === -1 && wakes === 0)) return;
  callMeant(watched.watchers, wakes === before + 1 ? String(row?.[3] ?? EVERYBODY) : EVERYBODY);
}
