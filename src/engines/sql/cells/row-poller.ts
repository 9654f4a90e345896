import { subjectOf } from '../../../core/arguments.ts';
import type { Unwatch } from '../../../spi/engine/protocol.ts';
import type { OwnerId } from '../../../spi/rule.ts';
import type { SqlValue } from '../sql-client.ts';
import type { Statements } from './statements.ts';
import { callNamed, ALL_WAITERS } from './wake-message.ts';

/** Names per statement. */
const CHUNK = 500;

interface WatchedName {
  readonly kind: string;
  readonly name: string;
  readonly watchers: Map<() => void, OwnerId>;
  /** The row's count of wake-ups at the last look; -1 if there was no row. */
  wakes: number;
  /** The version at the last look, unless a wake-up was reported since; undefined if there was no row. */
  version: string | undefined;
  /** How many wake-ups were reported besides the looks. */
  told: number;
  /** The first look at the row. */
  begun: Promise<void> | undefined;
}

export interface RowPollerOptions {
  readonly statements: Statements;
  /**
   * The pause before the next look if no caller asks for one earlier. `quietMs`: how long no look has found a wake-up; Infinity if
   * none ever has.
   */
  readonly untilNextLookMs: (quietMs: number) => number;
}

/**
 * Polls the rows of all names that this client waits for, with one statement: how many wake-ups each row has counted. Polls on
 * request, and from time to time by itself; never while no waiter is registered.
 */
export class RowPoller {
  readonly #statements: Statements;
  readonly #untilNextLookMs: RowPollerOptions['untilNextLookMs'];
  /** When a look has last found a wake-up, of any name: a client that waits for the same name again has forgotten the row meanwhile. */
  #foundAt = -Infinity;
  readonly #names = new Map<string, WatchedName>();
  #ring: (() => void) | undefined;
  #running = false;
  #rung = false;

  constructor({ statements, untilNextLookMs }: RowPollerOptions) {
    this.#statements = statements;
    this.#untilNextLookMs = untilNextLookMs;
  }

  /** The number of this client's waiters for a name. */
  watching(kind: string, name: string): number {
    return this.#names.get(`${kind}:${name}`)?.watchers.size ?? 0;
  }

  /** See `ChangeFeed.seen`. */
  seen(kind: string, name: string): string | undefined {
    return this.#names.get(`${kind}:${name}`)?.version;
  }

  /** The number of watched names. */
  get size(): number {
    return this.#names.size;
  }

  /** Resolves once the count of wake-ups is known: from then on none is missed. */
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

  /** Polls as soon as possible, because a row may have changed. */
  look(): void {
    this.#rung = true;
    this.#ring?.();
  }

  /** Wakes all waiters, because a message was missed, or an event happened that no row records. */
  wakeAll(): void {
    for (const watched of this.#names.values()) call(watched, ALL_WAITERS);
  }

  /** Wakes the waiters of a name. */
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
        const now = client.clock.now();
        if (!this.#rung) await sleeper.sleep(now + this.#untilNextLookMs(now - this.#foundAt));
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
      // The waiters find the failure themselves: each tries again when its own time has come.
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
      // The race: a wake-up is reported while a look is in flight that has read the row from before it.
      const isLatest = watched.told === told[at];
      watched.version = row === undefined || !isLatest ? undefined : String(row[4]);
      if (update(watched, row)) this.#foundAt = client.clock.now();
    });
  }
}

/**
 * Forgets the version that was read before the wake-up. A waiter that took it for current would conclude that the lock is
 * held, and sleep on beside a free lock.
 */
function call(watched: WatchedName, wake: string): void {
  watched.version = undefined;
  watched.told++;
  callNamed(watched.watchers, wake);
}

/**
 * Wakes the owners that the row names, and answers whether there was a wake-up. The row names the owners of the last wake-up only:
 * after several, wakes all.
 */
function update(watched: WatchedName, row: readonly SqlValue[] | undefined): boolean {
  const wakes = row === undefined ? -1 : Number(row[2]);
  const before = watched.wakes;
  watched.wakes = wakes;
  if (wakes === before || (before === -1 && wakes === 0)) return false;
  callNamed(watched.watchers, wakes === before + 1 ? String(row?.[3] ?? ALL_WAITERS) : ALL_WAITERS);
  // The first look at a row finds what it has counted since it was made.
  return before !== -1;
}
