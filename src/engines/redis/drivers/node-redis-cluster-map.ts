import type { Outcome, Reply } from '../driver.ts';
import type { ClusterAddresses } from './cluster-places.ts';
import type { ClusterMap } from './cluster-router.ts';
import { rediscover } from './node-redis-insides.ts';
import { NodeRedisLines } from './node-redis-lines.ts';
import { NodeRedisMessages } from './node-redis-messages.ts';
import type { NodeRedisClient, NodeRedisCluster } from './node-redis-shapes.ts';

/** What a node-redis cluster knows of its servers. */
export class NodeRedisClusterMap implements ClusterMap<NodeRedisClient> {
  readonly #cluster: NodeRedisCluster;
  readonly addresses: ClusterAddresses;
  readonly #lines = new NodeRedisLines();
  readonly #listeners = new Set<() => void>();
  #refreshing: Promise<unknown> | undefined;

  constructor(cluster: NodeRedisCluster) {
    this.#cluster = cluster;
    this.addresses = {
      ownerOf: (slot) => cluster.slots[slot]?.master.address,
      masters: () => cluster.masters.map(({ address }) => address),
      refresh: () => this.refresh(),
      open: async (address, events) => {
        const like = await this.findAt(address);
        if (like === undefined) throw new Error(`${address} is no longer in the cluster.`);
        return new NodeRedisMessages(like, events);
      },
      onChange: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
  }

  ownerOf(slot: number): NodeRedisClient | undefined {
    const client = this.#cluster.slots[slot]?.master.client;
    return client?.isReady === true ? client : undefined;
  }

  async findOwner(slot: number): Promise<NodeRedisClient | undefined> {
    const node = this.#cluster.slots[slot]?.master;
    if (node === undefined) return undefined;
    // Its client would keep the command until this very server is back, and never learn that another has its place.
    if (node.client !== undefined && !node.client.isReady) void this.refresh().catch(() => undefined);
    return this.#cluster.nodeClient(node);
  }

  async findAt(address: string): Promise<NodeRedisClient | undefined> {
    const node = this.#cluster.nodeByAddress.get(address);
    return node && this.#cluster.nodeClient(node);
  }

  /**
   * Takes everything of ours off, when nothing is under way any more. A cluster that is closed by its user in the middle of it would connect to all
   * servers once more, and never close that.
   */
  async close(): Promise<void> {
    await this.#refreshing?.catch(() => undefined);
    this.#lines.close();
  }

  async refresh(): Promise<void> {
    this.#refreshing ??= this.#rediscover().finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
  }

  send(client: NodeRedisClient, command: readonly string[]): Promise<Reply> {
    return this.#lines.send(client, command);
  }

  sendTogether(
    client: NodeRedisClient,
    commands: readonly (readonly string[])[],
  ): Promise<readonly Outcome[]> {
    return this.#lines.sendTogether(client, commands);
  }

  async #rediscover(): Promise<void> {
    // Not through a server that does not answer: only another one knows what has become of it.
    const startWith = this.#cluster.masters.find(({ client }) => client?.isReady === true)?.client;
    await rediscover(this.#cluster, startWith);
    for (const listener of this.#listeners) listener();
  }
}
