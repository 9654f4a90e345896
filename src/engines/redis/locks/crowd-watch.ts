import type { Client } from '../../../core/client.ts';
import type { Unwatch } from '../../../spi/engine/protocol.ts';

/** Where a waiter listens: on the channel of the lock, on that of its client, or on both. */
export type ListeningPlace = 'lock' | 'own' | 'both';

/** What a refusal says about where to listen. */
export interface Told {
  readonly where: ListeningPlace;
  /** Whether this owner stood in the crowd before this attempt, since an earlier one. */
  readonly stood: boolean;
  /** The owner that holds the lock, as it stands in the store. */
  readonly holder: string;
}

/** The two channels on which a client may wait for one lock. */
export interface CrowdChannels {
  /** The channel that tells all listeners of each release. */
  readonly lock: string;
  /** The channel of this client, on which a release wakes it alone. */
  readonly own: string;
}

/**
 * Of so many attempts of a waiter outside of a crowd one asks where to listen, and one after it has waited for so long. In a small
 * fleet the answer never changes: to ask each time cost eight clients a third of their grants. Where a release wakes thousands, each
 * of them asks at one of the first.
 */
const ASKS_ONCE_IN = 32;
const ASKS_AFTER_MS = 1000;

type CrowdChannel = keyof CrowdChannels;

export interface CrowdWatchOptions {
  readonly client: Client;
  readonly listen: (source: string) => Promise<Unwatch>;
  /** Whether the server has confirmed the subscription. */
  readonly isConfirmed: (source: string) => boolean;
  readonly channels: CrowdChannels;
  /** Has the waiter try. */
  readonly heard: () => void;
}

const SIDES: Readonly<Record<ListeningPlace, readonly CrowdChannel[]>> = {
  lock: ['lock'],
  own: ['own'],
  both: ['lock', 'own'],
};

/** One waiter that listens where the server says. */
export class CrowdWatch {
  /** Since when this waiter stands in the crowd, by the server's clock; 0 before it does. */
  sinceMs = 0;
  readonly #options: CrowdWatchOptions;
  /** The channels that this waiter listens on, or is about to. */
  readonly #sides = new Map<CrowdChannel, Unwatch | undefined>();
  #wanted: readonly CrowdChannel[] = [];
  /** The holder during whose hold this waiter last entered the crowd. */
  #enteredUnder: string | undefined;
  #attempts = 0;
  #askedAt: number;
  #ended = false;

  constructor(options: CrowdWatchOptions) {
    this.#options = options;
    this.#askedAt = options.client.clock.now();
  }

  listensOn(side: CrowdChannel): boolean {
    return this.#sides.has(side);
  }

  /** Counts an attempt. Whether it asks the server where to listen: each in a crowd, of the others a few. */
  asksWhere(): boolean {
    if (this.#wanted.includes('own')) return true;
    this.#attempts += 1;
    const now = this.#options.client.clock.now();
    const asks = this.#attempts % ASKS_ONCE_IN === ASKS_ONCE_IN / 2 || now - this.#askedAt >= ASKS_AFTER_MS;
    if (asks) this.#askedAt = now;
    return asks;
  }

  /** Listens there, before the waiter tries. */
  begin(where: 'lock' | 'own'): Promise<void> {
    this.#wanted = SIDES[where];
    return this.#listen(where);
  }

  /**
   * Moves there. The race: a release between the refusal and the new subscription tells this waiter nothing. So the old
   * subscription ends only when the new one stands, and then the waiter tries.
   */
  move(told: Told, nowMs: number): void {
    if (told.where !== 'lock' && this.sinceMs === 0) this.sinceMs = nowMs;
    this.#wanted = SIDES[this.#placeFor(told)];
    if (this.#wanted.every((side) => this.#sides.has(side))) {
      this.#leaveUnwanted();
      return;
    }
    const { client, heard } = this.#options;
    const moving = this.#listenToWanted().then(
      () => {
        this.#leaveUnwanted();
        if (!this.#ended) heard();
      },
      // A subscription that is refused leaves the waiter where it is. It looks from time to time in any case.
      () => undefined,
    );
    client.background(moving);
  }

  /**
   * The race: the holder's grant saw no crowd, one forms while it holds, and no client of it listens to the channel of the lock any
   * more: its release looks for no crowd. So a waiter on that channel leaves it only when it has stood in the crowd since
   * before the holder's grant.
   */
  #placeFor({ where, stood, holder }: Told): ListeningPlace {
    if (!stood) this.#enteredUnder = holder;
    if (where !== 'own' || !this.#sides.has('lock')) return where;
    const sawCrowd = stood && this.#enteredUnder !== undefined && this.#enteredUnder !== holder;
    return sawCrowd ? 'own' : 'both';
  }

  end(): void {
    this.#ended = true;
    for (const side of this.#sides.keys()) this.#leave(side);
  }

  async #listenToWanted(): Promise<void> {
    await Promise.all(
      this.#wanted.filter((side) => !this.#sides.has(side)).map((side) => this.#listen(side)),
    );
  }

  async #listen(side: CrowdChannel): Promise<void> {
    this.#sides.set(side, undefined);
    const { listen, channels } = this.#options;
    try {
      const unwatch = await listen(channels[side]);
      // It was left while it was being begun: nothing else would ever end it.
      if (this.#sides.has(side)) this.#sides.set(side, unwatch);
      else unwatch();
    } catch (error) {
      this.#sides.delete(side);
      throw error;
    }
  }

  #leaveUnwanted(): void {
    const { isConfirmed, channels } = this.#options;
    if (!this.#wanted.every((side) => isConfirmed(channels[side]))) return;
    for (const side of this.#sides.keys()) if (!this.#wanted.includes(side)) this.#leave(side);
  }

  #leave(side: CrowdChannel): void {
    const unwatch = this.#sides.get(side);
    this.#sides.delete(side);
    unwatch?.();
  }
}
