import { openSubscriber } from '../subscriptions/resubscriber.ts';
import type {
  CommandOutcome,
  RedisDriver,
  RedisNode,
  Reply,
  Subscriber,
  SubscriberEvents,
} from '../../driver.ts';
import { ClusterRouting } from '../cluster/cluster-routing.ts';
import { ClusterRouter } from '../cluster/cluster-router.ts';
import { keySlot } from '../cluster/key-slot.ts';
import { Listeners } from '../listeners.ts';
import { Listening } from '../subscriptions/listening.ts';
import { onNewMaster } from '../cluster/new-masters.ts';
import { NodeRedisClusterMap } from './node-redis-cluster-map.ts';
import type { NodeRedisClient, NodeRedisCluster } from './node-redis-shapes.ts';
import { notOpen, OpenedConnections } from '../opened-connections.ts';

/** A cluster through node-redis. */
export class NodeRedisClusterDriver implements RedisDriver {
  readonly client = 'node-redis';
  readonly topology = 'cluster';
  readonly #cluster: NodeRedisCluster;
  readonly #map: NodeRedisClusterMap;
  readonly #router: ClusterRouter<NodeRedisClient>;
  readonly #listening: Listening;
  readonly #opened = new OpenedConnections();
  /** Listeners for a connection of ours that stands in for one of the client's. */
  readonly #reconnected = new Listeners();

  constructor(cluster: NodeRedisCluster) {
    this.#cluster = cluster;
    this.#map = new NodeRedisClusterMap(cluster);
    this.#router = new ClusterRouter(this.#map);
    this.#listening = new Listening(cluster);
  }

  /** A driver that owns its client, and closes it. */
  static owning(cluster: NodeRedisCluster): NodeRedisClusterDriver {
    const driver = new NodeRedisClusterDriver(cluster);
    driver.#opened.add(() => destroy(cluster));
    return driver;
  }

  send(key: string, command: readonly string[]): Promise<Reply> {
    if (!this.#cluster.isOpen) return Promise.reject(notOpen());
    return this.#router.send(key, command);
  }

  async sendTogether(
    key: string,
    commands: readonly (readonly string[])[],
  ): Promise<readonly CommandOutcome[]> {
    if (!this.#cluster.isOpen) throw notOpen();
    return this.#router.sendTogether(key, commands);
  }

  nodeOf(key: string): string {
    return this.#map.addresses.ownerOf(keySlot(key)) ?? 'unknown';
  }

  async findMasters(): Promise<readonly RedisNode[]> {
    if (!this.#cluster.isOpen) throw notOpen();
    return this.#cluster.masters.map((node) => ({
      id: node.address,
      send: async (command) => this.#map.send(await this.#cluster.nodeClient(node), command),
    }));
  }

  async openSubscriber(events: SubscriberEvents): Promise<Subscriber> {
    return openSubscriber(this.#opened, new ClusterRouting(this.#map.addresses), events);
  }

  async duplicate(): Promise<RedisDriver> {
    // Connects to each server at its first use: all at once would wait for one that is down.
    const cluster = this.#cluster.duplicate({ minimizeConnections: true });
    cluster.on('error', () => undefined);
    await cluster.connect();
    const driver = NodeRedisClusterDriver.owning(cluster);
    if (!this.#opened.closing.aborted) return driver;
    await driver.close();
    throw this.#opened.closing.reason;
  }

  onError(listener: (error: unknown) => void): () => void {
    return this.#listening.onError(listener);
  }

  /** Calls the listener when a connection comes up, when one breaks and reconnects, and when a server is promoted. */
  onReconnect(listener: () => void): () => void {
    const stops = ['node-ready', 'node-reconnecting'].map((event) => this.#listening.on(event, listener));
    stops.push(onNewMaster(this.#map.addresses, listener));
    stops.push(this.#reconnected.add(listener));
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** Asks any other server for the owners of all slots, then doubts the connection to the owner of this key. */
  suspect(key: string, unansweredMs: number): void {
    if (this.#opened.closing.aborted) return;
    const tellReconnected = (): void => this.#reconnected.tell();
    void this.#map
      .refresh()
      .catch(() => undefined)
      .then(() => this.#map.doubt(keySlot(key), unansweredMs, tellReconnected));
  }

  async close(): Promise<void> {
    this.#listening.stopAll();
    await this.#map.close();
    await this.#opened.close();
  }
}

function destroy(cluster: NodeRedisCluster): void {
  if (cluster.isOpen) cluster.destroy();
}
