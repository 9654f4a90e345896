import { inTime } from '../../../../core/async/in-time.ts';
import { systemClock } from '../../../../core/time/clock.ts';
import type { CommandOutcome, Reply } from '../../driver.ts';
import type { ClusterAddresses } from '../cluster/cluster-places.ts';
import type { ClusterMap } from '../cluster/cluster-router.ts';
import { rediscover } from './node-redis-internals.ts';
import { NodeRedisConnections } from './node-redis-connections.ts';
import { NodeRedisMessages } from './node-redis-messages.ts';
import type { NodeRedisClient, NodeRedisCluster, NodeRedisClusterNode } from './node-redis-shapes.ts';
import { isAnswer } from '../cluster/redirect.ts';

/** A server that has not answered by then is not asked who owns what. */
const PROBE_MS = 500;
/** How long a cluster may take for it. It also connects to servers that are new to it, and those may be away again. */
const REDISCOVERY_MS = 5_000;

/** What a node-redis cluster knows of its servers. */
export class NodeRedisClusterMap implements ClusterMap<NodeRedisClient> {
  readonly #cluster: NodeRedisCluster;
  readonly addresses: ClusterAddresses;
  readonly #connections = new NodeRedisConnections();
  readonly #listeners = new Set<() => void>();
  #refreshing: Promise<unknown> | undefined;
  #slots: NodeRedisCluster['slots'];

  constructor(cluster: NodeRedisCluster) {
    this.#cluster = cluster;
    this.#slots = cluster.slots;
    this.addresses = {
      ownerOf: (slot) => cluster.slots[slot]?.master.address,
      masters: () => cluster.masters.map(({ address }) => address),
      refresh: () => this.refresh(),
      open: async (address, events) => {
        const like = this.#openClientAt(address);
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
    const { slots } = this.#cluster;
    // It was asked for by somebody else, a command of the user's perhaps, and the client tells nobody what came of it.
    if (slots !== this.#slots) this.#tellOfChange();
    const client = slots[slot]?.master.client;
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
    this.#connections.close();
  }

  async refresh(): Promise<void> {
    this.#refreshing ??= this.#rediscover().finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
  }

  send(client: NodeRedisClient, command: readonly string[]): Promise<Reply> {
    return this.#connections.send(client, command);
  }

  sendTogether(
    client: NodeRedisClient,
    commands: readonly (readonly string[])[],
  ): Promise<readonly CommandOutcome[]> {
    return this.#connections.sendTogether(client, commands);
  }

  /** The server of a slot has not answered for so long: if it answers on a fresh connection, commands go over that one. */
  async doubt(slot: number, unansweredMs: number, reconnected: () => void): Promise<void> {
    const client = this.ownerOf(slot);
    const fresh = client && (await this.#connections.openFresh(client, unansweredMs));
    if (client === undefined || fresh === undefined) return;
    this.#connections.standIn(client, fresh, { reconnected });
    reconnected();
  }

  /** Whether it is connected or ever will be: a connection of our own that is like it finds out by itself. */
  #openClientAt(address: string): NodeRedisClient | undefined {
    const node = this.#cluster.nodeByAddress.get(address);
    if (node === undefined) return undefined;
    if (node.client === undefined) Promise.resolve(this.#cluster.nodeClient(node)).catch(() => undefined);
    return node.client;
  }

  async #rediscover(): Promise<void> {
    const startWith = await this.#findStart();
    try {
      await inTime(systemClock, rediscover(this.#cluster, startWith), REDISCOVERY_MS, false);
    } finally {
      this.#tellOfChange();
    }
  }

  #tellOfChange(): void {
    this.#slots = this.#cluster.slots;
    for (const listener of this.#listeners) listener();
  }

  /**
   * Not a server that does not answer: only another one knows what has become of it. A connection that is ready says
   * nothing about that. A cluster that begins with a server that stands still never ends, and never begins again.
   */
  async #findStart(): Promise<NodeRedisClient | undefined> {
    const { masters } = this.#cluster;
    const ready = masters.filter(({ client }) => client?.isReady === true);
    // Refused at once, and then it asks whom it was told of at the start. An older one needs somebody to begin with.
    if (ready.length === 0) return masters.find(({ client }) => client !== undefined)?.client;
    const others = masters.filter((node) => !ready.includes(node));
    return this.#findFirstToAnswer(ready).catch(() => this.#findFirstToAnswer(others));
  }

  #findFirstToAnswer(nodes: readonly NodeRedisClusterNode[]): Promise<NodeRedisClient> {
    const answer = async (node: NodeRedisClusterNode): Promise<NodeRedisClient> => {
      const client = await this.#cluster.nodeClient(node);
      await this.send(client, ['PING']).catch((error: unknown) => {
        // No is an answer, too: its user may not be allowed to ask.
        if (!isAnswer(error)) throw error;
      });
      return client;
    };
    return Promise.any(nodes.map((node) => inTime(systemClock, answer(node), PROBE_MS, false)));
  }
}
