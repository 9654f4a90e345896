import type { Client } from '../../../core/client.ts';
import type { Unwatch } from '../../../spi/engine/protocol.ts';

/** Where a waiter listens: on the channel of the lock, on that of its client, or on both. */
export type ListeningPlace = 'lock' | 'own' | 'both';

/** The two channels on which a client may wait for one lock. */
export interface CrowdChannels {
  /** The channel that tells all listeners of each release. */
  readonly lock: string;
  /** The channel of this client, on which a release wakes it alone. */
  readonly own: string;
}

/**
 * Of so many attempts of a waiter outside of a crowd one asks where to listen. In a small fleet the answer never changes: to ask each
 * time cost eight clients a third of their grants. Where a release wakes thousands, each of them asks within so many releases.
 */
const ASKS_ONCE_IN = 32;

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
  #attempts = 0;
  #ended = false;

  constructor(options: CrowdWatchOptions) {
    this.#options = options;
  }

  listensOn(side: CrowdChannel): boolean {
    return this.#sides.has(side);
  }

  /** Counts an attempt. Whether it asks the server where to listen: each in a crowd, of the others a few. */
  asksWhere(): boolean {
    this.#attempts += 1;
    return this.#wanted.includes('own') || this.#attempts % ASKS_ONCE_IN === ASKS_ONCE_IN / 2;
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
  move(where: ListeningPlace, nowMs: number): void {
    if (where !== 'lock' && this.sinceMs === 0) this.sinceMs = nowMs;
    this.#wanted = SIDES[where];
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
