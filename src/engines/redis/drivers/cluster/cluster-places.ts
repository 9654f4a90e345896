import type { SubscriptionMode } from '../../driver.ts';
import { keySlot } from './key-slot.ts';
import type {
  MessageConnection,
  MessageEvents,
  SubscriptionRouting,
} from '../subscriptions/message-connection.ts';

/** Servers by their address, as a cluster's client knows them. */
export interface ClusterAddresses {
  ownerOf(slot: number): string | undefined;
  masters(): readonly string[];
  refresh(): Promise<void>;
  open(address: string, events: MessageEvents): Promise<MessageConnection>;
  onChange(listener: () => void): () => void;
}

/**
 * The places of messages in a cluster. A sharded channel has its messages where its slot is. All others are told to every
 * server, so one will do: the same for all, and the next one after trouble with it.
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
    // One that was replaced may be standing still, and then it says nothing: neither messages nor that it has none.
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
      // Once: what an old connection says later is not about the next one to the same place.
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
