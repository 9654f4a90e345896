import { memory, MemoryStore } from '../../src/engines/memory/index.ts';
import type { Synchronizers } from '../../src/index.ts';
import type { Clock } from '../../src/spi/clock.ts';
import type { ClientOptions, Harness, HarnessTime } from '../../src/testing/index.ts';
import { type Carry, type Kinds, MemoryLink } from './memory-link.ts';
import { MortalClock } from './mortal-clock.ts';

/** Kinds whose records are what users put there: they stay until they are changed again. */
const DATA_KINDS = new Set(['latch', 'barrier', 'monitor']);

/** Where a client under test comes from: its own identity, time and way to the store. */
export interface Surroundings {
  readonly id: string;
  readonly clock: MortalClock;
  readonly link: MemoryLink;
}

/** Makes a client out of these. */
export type Open = (options: ClientOptions, surroundings: Surroundings) => Synchronizers;

/** `memory()` itself: steps are function calls. */
export const openMemory: Open = (options, { id, clock, link }) =>
  memory({
    ...options,
    clock,
    random: { id: () => id, fraction: () => 0.5 },
    // All that the engine asks of a store is cells and sessions.
    store: link as unknown as MemoryStore,
  });

export interface MemoryHarnessParts {
  readonly engine: string;
  readonly time: HarnessTime;
  readonly clock: Clock;
  readonly pump: (body: () => Promise<void>) => Promise<void>;
  readonly open: Open;
  readonly carry: (client: string) => Carry;
}

/** Several clients on one store in this process, which can be killed one by one. */
export class MemoryHarness implements Harness {
  readonly engine: string;
  readonly factories = [
    'lock',
    'fairLock',
    'readWriteLock',
    'semaphore',
    'permitSemaphore',
    'latch',
    'barrier',
    'election',
    'monitor',
  ] as const;
  readonly time: HarnessTime;
  readonly #parts: MemoryHarnessParts;
  #stores: MemoryStore[] = [];
  #kinds: Kinds[] = [];
  #clients = new Map<Synchronizers, Surroundings & { readonly store: MemoryStore }>();
  #opened = 0;

  constructor(parts: MemoryHarnessParts) {
    this.engine = parts.engine;
    this.time = parts.time;
    this.#parts = parts;
  }

  async run(body: () => Promise<void>): Promise<void> {
    this.#stores = [];
    this.#kinds = [];
    this.#clients = new Map();
    this.#addStore(new MemoryStore(this.#parts.clock));
    await this.#parts.pump(body);
  }

  async open(options: ClientOptions = {}): Promise<Synchronizers> {
    return this.#open(options, 0);
  }

  async openYoung(options: ClientOptions = {}): Promise<Synchronizers> {
    this.#addStore(new MemoryStore(this.#parts.clock, { upMs: 0 }));
    return this.#open(options, this.#stores.length - 1);
  }

  async crash(client: Synchronizers): Promise<void> {
    const { id, clock, link, store } = this.clientOf(client);
    clock.stop();
    link.cut();
    store.end(id);
  }

  async leftovers(): Promise<readonly string[]> {
    const timers = [...this.#clients.values()].map(({ id, clock }) => count(clock.pending, `timers of ${id}`));
    const stores = this.#stores.flatMap((store, at) => [
      count(store.census().sessions, 'sessions'),
      ...[...this.#kinds[at]!].flatMap(([kind, census]) => [
        DATA_KINDS.has(kind) ? [] : count(census().records, `records of kind ${kind}`),
        count(census().watchers, `watchers of kind ${kind}`),
      ]),
    ]);
    return [...timers, ...stores].flat(2);
  }

  /** What is behind a client that this harness opened. */
  protected clientOf(client: Synchronizers) {
    const known = this.#clients.get(client);
    if (known === undefined) throw new Error('This client was not opened here.');
    return known;
  }

  #addStore(store: MemoryStore): void {
    this.#stores.push(store);
    this.#kinds.push(new Map());
  }

  #open(options: ClientOptions, at: number): Synchronizers {
    const id = `client-${++this.#opened}`;
    const clock = new MortalClock(this.#parts.clock);
    const store = this.#stores[at]!;
    const link = new MemoryLink(store, this.#kinds[at]!, this.#parts.carry(id));
    const client = this.#parts.open(options, { id, clock, link });
    this.#clients.set(client, { id, clock, link, store });
    return client;
  }
}

function count(number: number, what: string): readonly string[] {
  return number === 0 ? [] : [`${number} ${what}`];
}
