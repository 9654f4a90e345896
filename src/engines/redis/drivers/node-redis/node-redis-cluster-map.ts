import { inTime } from '../../../../core/async/in-time.ts';
import { systemClock } from '../../../../core/time/clock.ts';
import type { CommandOutcome, Reply } from '../../driver.ts';
import type { ClusterAddresses } from '../cluster/cluster-routing.ts';
import type { ClusterMap } from '../cluster/cluster-router.ts';
import { rediscover } from './node-redis-internals.ts';
import { NodeRedisConnections } from './node-redis-connections.ts';
import { NodeRedisMessages } from './node-redis-messages.ts';
import type { NodeRedisClient, NodeRedisCluster, NodeRedisClusterNode } from './node-redis-shapes.ts';
import { isAnswer } from '../cluster/redirect.ts';

/** A server that has not answered by then is not asked for the owners of slots. */
const PROBE_MS = 500;
/** How long a rediscovery may take. It also connects to new servers, which may be down again. */
const REDISCOVERY_MS = 5_000;

/** The servers of a cluster, as a node-redis cluster knows them. */
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
    // Another caller, perhaps a command of the user, has caused a rediscovery, which the client does not report.
    if (slots !== this.#slots) this.#tellOfChange();
    const client = slots[slot]?.master.client;
    return client?.isReady === true ? client : undefined;
  }

  async findOwner(slot: number): Promise<NodeRedisClient | undefined> {
    const node = this.#cluster.slots[slot]?.master;
    if (node === undefined) return undefined;
    // Its client would keep the command until this very server is back, and never learn of its replacement.
    if (node.client !== undefined && !node.client.isReady) void this.refresh().catch(() => undefined);
    return this.#cluster.nodeClient(node);
  }

  async findAt(address: string): Promise<NodeRedisClient | undefined> {
    const node = this.#cluster.nodeByAddress.get(address);
    return node && this.#cluster.nodeClient(node);
  }

  /**
   * Closes our connections after a rediscovery in flight has ended. The race: a cluster that its user closes in the middle of
   * one would connect to all servers once more, and never close those connections.
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

  /** Checks the connection to the server of a slot, which has not answered for `unansweredMs`. If the server answers on a fresh one, commands move to it. */
  async doubt(slot: number, unansweredMs: number, reconnected: () => void): Promise<void> {
    const client = this.ownerOf(slot);
    const fresh = client && (await this.#connections.openFresh(client, unansweredMs));
    if (client === undefined || fresh === undefined) return;
    this.#connections.standIn(client, fresh, { reconnected });
    reconnected();
  }

  /** The client of a server, connected or not: a copy of it connects by itself. */
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
   * Finds a server that answers: only another server knows the replacement of a silent one. A ready connection proves nothing.
   * A rediscovery that starts with a frozen server never ends, and blocks every later one.
   */
  async #findStart(): Promise<NodeRedisClient | undefined> {
    const { masters } = this.#cluster;
    const ready = masters.filter(({ client }) => client?.isReady === true);
    // That client refuses at once, and then the cluster asks its root nodes. An older version needs a client to start with.
    if (ready.length === 0) return masters.find(({ client }) => client !== undefined)?.client;
    const others = masters.filter((node) => !ready.includes(node));
    return this.#findFirstToAnswer(ready).catch(() => this.#findFirstToAnswer(others));
  }

  #findFirstToAnswer(nodes: readonly NodeRedisClusterNode[]): Promise<NodeRedisClient> {
    const answer = async (node: NodeRedisClusterNode): Promise<NodeRedisClient> => {
      const client = await this.#cluster.nodeClient(node);
      await this.send(client, ['PING']).catch((error: unknown) => {
        // A refusal is an answer too: the ACL may forbid PING.
        if (!isAnswer(error)) throw error;
      });
      return client;
    };
    return Promise.any(nodes.map((node) => inTime(systemClock, answer(node), PROBE_MS, false)));
  }
}
