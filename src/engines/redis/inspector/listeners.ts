import type { RedisNode, Reply } from '../driver.ts';
import { escapeGlob } from '../keys.ts';
import { withoutClient } from './names.ts';
import type { InspectorServers } from './servers.ts';
import type { RedisContext } from '../redis-context.ts';

/** Channels per request. */
const CHUNK = 200;

/** Counts listeners of the fleet, as the servers do: by connection, of which each client of this library has one. */
export class InspectorListeners {
  readonly #parts: RedisContext;
  readonly #servers: InspectorServers;

  constructor(parts: RedisContext, servers: InspectorServers) {
    this.#parts = parts;
    this.#servers = servers;
  }

  /** Counts the listeners of one channel. */
  async countOn(channel: string): Promise<number> {
    return (await this.#count([channel])).get(channel) ?? 0;
  }

  /** Counts the listeners of the channel of a plain lock, and the clients of its crowd, which listen on channels of their own. */
  async countOnLock(channel: string): Promise<number> {
    const found = await this.findChannels([`${escapeGlob(channel)}:*`]);
    const own = [...found].filter((one) => withoutClient(one) === channel);
    // Not folded by its name: that of a lock may end as the channel of a client does.
    return sumOf(await this.#count([channel, ...own]));
  }

  /**
   * Counts the listeners of each channel of these patterns; channels without listeners are left out. The clients of a crowd count
   * as listeners of their lock's channel.
   */
  async countAll(patterns: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return foldClients(await this.#count([...(await this.findChannels(patterns))]));
  }

  /** Finds every channel of these patterns that has a listener. */
  async findChannels(patterns: readonly string[]): Promise<ReadonlySet<string>> {
    const word = (await this.#isSharded()) ? 'SHARDCHANNELS' : 'CHANNELS';
    const found = new Set<string>();
    for (const server of await this.#servers.findMasters()) {
      for (const pattern of patterns) {
        const channels = await this.#servers.ask(server, ['PUBSUB', word, pattern]);
        for (const channel of channels as readonly Reply[]) found.add(String(channel));
      }
    }
    return found;
  }

  /** Adds up the masters: in a cluster each server counts only its own connections. */
  async #count(channels: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const word = (await this.#isSharded()) ? 'SHARDNUMSUB' : 'NUMSUB';
    const counts = new Map<string, number>();
    for (const server of await this.#servers.findMasters()) {
      for (let from = 0; from < channels.length; from += CHUNK) {
        const counted = await this.#askCounts(server, word, channels.slice(from, from + CHUNK));
        for (const [channel, count] of counted) counts.set(channel, (counts.get(channel) ?? 0) + count);
      }
    }
    for (const [channel, count] of counts) {
      const others = count - this.#lingering(channel);
      if (others > 0) counts.set(channel, others);
      else counts.delete(channel);
    }
    return counts;
  }

  async #askCounts(
    server: RedisNode,
    word: string,
    channels: readonly string[],
  ): Promise<readonly (readonly [string, number])[]> {
    const flat = (await this.#servers.ask(server, ['PUBSUB', word, ...channels])) as readonly Reply[];
    return channels.map((channel, at) => [channel, Number(flat[2 * at + 1] ?? 0)] as const);
  }

  /** 1 if this client is still subscribed although its last waiter has gone, to be subtracted. */
  #lingering(channel: string): number {
    const { channels } = this.#parts;
    return channels.isSubscribed(channel) && channels.listenerCount(channel) === 0 ? 1 : 0;
  }

  async #isSharded(): Promise<boolean> {
    return (await this.#parts.pubSub.get()).subscribe === 'shard';
  }
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((all, count) => all + count, 0);
}

/** A client that changes from one channel to the other is counted on both for a moment. */
function foldClients(counts: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const folded = new Map<string, number>();
  for (const [channel, count] of counts) {
    const lock = withoutClient(channel);
    folded.set(lock, (folded.get(lock) ?? 0) + count);
  }
  return folded;
}
