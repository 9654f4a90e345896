import type { SubscriptionMode } from '../../driver.ts';
import { keySlot } from './key-slot.ts';
import type {
  MessageConnection,
  MessageEvents,
  SubscriptionRouting,
} from '../subscriptions/message-connection.ts';

/** The servers of a cluster by address, as the client knows them. */
export interface ClusterAddresses {
  ownerOf(slot: number): string | undefined;
  masters(): readonly string[];
  refresh(): Promise<void>;
  open(address: string, events: MessageEvents): Promise<MessageConnection>;
  onChange(listener: () => void): () => void;
}

/**
 * Routes subscriptions in a cluster. The messages of a sharded channel are at the server that owns its slot. All other
 * messages reach every server, so one server serves all of them, and the next one after trouble with it.
 */
export class ClusterRouting implements SubscriptionRouting {
  readonly #addresses: ClusterAddresses;
  #anywhere: string | undefined;
  #turn = 0;

  constructor(addresses: ClusterAddresses) {
    this.#addresses = addresses;
  }

  placeOf(mode: SubscriptionMode, channel: string): string | undefined {
    if (mode === 'shard') return this.#addresses.ownerOf(keySlot(channel));
    const masters = this.#addresses.masters();
    // A replaced master may be frozen: it sends no messages, and does not report that either.
    const isGone = this.#anywhere !== undefined && !masters.includes(this.#anywhere);
    if (this.#anywhere === undefined || (isGone && masters.length > 0))
      this.#anywhere = masters[this.#turn++ % masters.length];
    return this.#anywhere;
  }

  look(): Promise<void> {
    return this.#addresses.refresh();
  }

  async open(address: string, events: MessageEvents): Promise<MessageConnection> {
    let troubled = false;
    const trouble = (): void => {
      // Only the first time: a later event of an old connection is not about the next one to the same server.
      if (!troubled && this.#anywhere === address) this.#anywhere = undefined;
      troubled = true;
      events.trouble();
    };
    try {
      return await this.#addresses.open(address, { ...events, trouble });
    } catch (error) {
      trouble();
      throw error;
    }
  }

  onChange(listener: () => void): () => void {
    return this.#addresses.onChange(listener);
  }
}
