import { systemClock } from '../../core/time/clock.ts';
import type { SessionStore } from '../../spi/engine/cells.ts';
import type { Clock } from '../../spi/clock.ts';
import type { Facts, DeadOwners, OwnerId, Rule, Verbs } from '../../spi/rule.ts';
import { MemoryAnnouncements } from './memory-announcements.ts';
import { MemoryCells } from './memory-cells.ts';

/** A store in this process cannot restart under its clients: they would end with it. */
const SINCE_EVER_MS = 2 ** 50;

/**
 * The meeting place of several `memory()` engines of one process: give the same store to each, and they exclude each
 * other as separate processes would.
 */
export class MemoryStore implements SessionStore {
  readonly #clock: Clock;
  /** What to add to the clock for the time since the epoch. */
  readonly #epoch: number;
  readonly #startedAt: number;
  readonly #cells = new Map<string, MemoryCells<unknown>>();
  readonly #sessions = new Map<string, number>();
  readonly #facts: MemoryFacts;
  /** What the clients of this store say about themselves. */
  readonly announcements: MemoryAnnouncements;
  readonly #listeners = new Set<(kind: string, name: string) => void>();
  /** Whether a listener wants every change. A field, because every step asks. */
  isWatched = false;
  /** Whether a record could name a session that has ended: only then is it worth looking. */
  #someMayBeDead = false;

  constructor(clock: Clock = systemClock, options: { readonly upMs?: number } = {}) {
    this.#clock = clock;
    this.announcements = new MemoryAnnouncements(clock);
    this.#epoch = clock.epochNow() - clock.now();
    this.#startedAt = clock.now() - (options.upMs ?? SINCE_EVER_MS);
    this.#facts = new MemoryFacts(
      {
        has: (owner) => this.#someMayBeDead && this.#endsInMs(owner) <= 0,
        endsInMs: (owner) => this.#endsInMs(owner),
      },
      clock,
      this.#startedAt,
    );
  }

  /** The cells of one kind, which only its rule may change. */
  cells<S, V extends Verbs, L>(kind: string, rule: Rule<S, V, L>): MemoryCells<S> {
    const known = this.#cells.get(kind);
    if (known !== undefined) return known as MemoryCells<S>;
    const cells = new MemoryCells<S>(this, kind, rule.spent);
    this.#cells.set(kind, cells as MemoryCells<unknown>);
    return cells;
  }

  /** All cells whose names begin with the prefix. */
  *names(prefix: string): Generator<{ readonly kind: string; readonly name: string }, void, undefined> {
    for (const [kind, cells] of this.#cells)
      for (const name of cells.names()) if (name.startsWith(prefix)) yield { kind, name };
  }

  /** How many watchers a cell has. */
  watching(kind: string, name: string): number {
    return this.#cells.get(kind)?.watching(name) ?? 0;
  }

  /** Calls the listener after every step, until the returned function is called. */
  watchAll(listener: (kind: string, name: string) => void): () => void {
    this.#listeners.add(listener);
    this.isWatched = true;
    return () => {
      this.#listeners.delete(listener);
      this.isWatched = this.#listeners.size > 0;
    };
  }

  tellChanged(kind: string, name: string): void {
    for (const listener of this.#listeners) listener(kind, name);
  }

  /** What a rule sees in this step. One object, filled anew: a step ends before the next begins. */
  beginStep(): Facts {
    this.#facts.begin();
    return this.#facts;
  }

  /** Whether a client with this clock may use the reading that the store took of it. */
  keepsTimeOf(clock: Clock): boolean {
    return clock === this.#clock;
  }

  /** What the clock showed when the last step was decided. */
  readonly decidedAt = (): number => this.#facts.at;

  /** Keeps the fence of a dropped record as a floor under all names (soundness 8). */
  raiseFenceFloor(fence: number): void {
    if (fence > this.#facts.fenceFloor) this.#facts.fenceFloor = fence;
  }

  beat(client: string, ttlMs: number): 'alive' | 'ended' {
    const endsAt = this.#sessions.get(client);
    const now = this.#epoch + this.#clock.now();
    if (endsAt !== undefined && endsAt <= now) return 'ended';
    this.#sessions.set(client, now + ttlMs);
    if (ttlMs < Infinity) this.#someMayBeDead = true;
    return 'alive';
  }

  end(client: string): void {
    this.#sessions.delete(client);
    this.#someMayBeDead = true;
    for (const cells of this.#cells.values()) cells.wakeAll();
  }

  /** Counts records, watchers and sessions, after dropping what is spent: for tests that nothing is left behind. */
  takeCensus(): { readonly records: number; readonly watchers: number; readonly sessions: number } {
    const all = [...this.#cells.values()].map((cells) => cells.takeCensus());
    return {
      records: all.reduce((sum, cells) => sum + cells.records, 0),
      watchers: all.reduce((sum, cells) => sum + cells.watchers, 0),
      sessions: this.#sessions.size,
    };
  }

  #endsInMs(owner: OwnerId): number {
    const endsAt = this.#sessions.get(owner.slice(0, owner.lastIndexOf(':')));
    return endsAt === undefined ? 0 : Math.max(0, endsAt - (this.#epoch + this.#clock.now()));
  }
}

/** The facts of one step after another. What only some rules ask for, above all the time, is computed on demand. */
class MemoryFacts implements Facts {
  fenceFloor = 0;
  readonly dead: DeadOwners;
  readonly #clock: Clock;
  readonly #epoch: number;
  readonly #startedAt: number;
  #at = 0;
  #looked = false;

  constructor(dead: DeadOwners, clock: Clock, startedAt: number) {
    this.dead = dead;
    this.#clock = clock;
    this.#epoch = clock.epochNow() - clock.now();
    this.#startedAt = startedAt;
  }

  begin(): void {
    this.#looked = false;
  }

  /** What the clock shows: one reading for the whole step. */
  get at(): number {
    if (!this.#looked) {
      this.#looked = true;
      this.#at = this.#clock.now();
    }
    return this.#at;
  }

  get now(): number {
    return this.#epoch + this.at;
  }

  get upMs(): number {
    return this.at - this.#startedAt;
  }
}
