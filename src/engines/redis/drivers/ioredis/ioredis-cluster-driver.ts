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
import { addressOf, IoredisClusterMap } from './ioredis-cluster-map.ts';
import { waitForIoredis } from './ioredis-ready.ts';
import type { IoredisClient, IoredisCluster } from './ioredis-shapes.ts';
import { keySlot } from '../cluster/key-slot.ts';
import { Listening } from '../subscriptions/listening.ts';
import { onNewMaster } from '../cluster/new-masters.ts';
import { notOpen, OpenedConnections, reconnectDelayMs } from '../opened-connections.ts';

/** A cluster through ioredis. */
export class IoredisClusterDriver implements RedisDriver {
  readonly client = 'ioredis';
  readonly topology = 'cluster';
  readonly #cluster: IoredisCluster;
  readonly #listening: Listening;
  readonly #map: IoredisClusterMap;
  readonly #router: ClusterRouter<IoredisClient>;
  readonly #opened = new OpenedConnections();

  constructor(cluster: IoredisCluster) {
    this.#cluster = cluster;
    this.#listening = new Listening(cluster);
    this.#map = new IoredisClusterMap(cluster, this.#listening, this.#opened.closing);
    this.#router = new ClusterRouter(this.#map);
  }

  /** A driver that owns its client, and closes it. */
  static owning(cluster: IoredisCluster): IoredisClusterDriver {
    const driver = new IoredisClusterDriver(cluster);
    driver.#opened.add(() => cluster.disconnect());
    cluster.on('error', () => undefined);
    return driver;
  }

  send(key: string, command: readonly string[]): Promise<Reply> {
    if (this.#cluster.status === 'end') return Promise.reject(notOpen());
    return this.#router.send(key, command);
  }

  sendTogether(key: string, commands: readonly (readonly string[])[]): Promise<readonly CommandOutcome[]> {
    if (this.#cluster.status === 'end') return Promise.reject(notOpen());
    return this.#router.sendTogether(key, commands);
  }

  nodeOf(key: string): string {
    return this.#map.addresses.ownerOf(keySlot(key)) ?? 'unknown';
  }

  async findMasters(): Promise<readonly RedisNode[]> {
    await this.#map.connect();
    return this.#cluster
      .nodes('master')
      .map((node) => ({ id: addressOf(node), send: (command) => this.#map.send(node, command) }));
  }

  async openSubscriber(events: SubscriberEvents): Promise<Subscriber> {
    await this.#map.connect();
    return openSubscriber(this.#opened, new ClusterRouting(this.#map.addresses), events);
  }

  async duplicate(): Promise<RedisDriver> {
    const cluster = this.#cluster.duplicate([], {
      lazyConnect: true,
      clusterRetryStrategy: reconnectDelayMs,
    });
    cluster.on('error', () => undefined);
    const letGo = this.#opened.add(() => cluster.disconnect());
    cluster.connect().catch(() => undefined);
    await waitForIoredis(cluster, this.#opened.closing);
    letGo();
    return IoredisClusterDriver.owning(cluster);
  }

  onError(listener: (error: unknown) => void): () => void {
    return this.#listening.onError(listener);
  }

  /**
   * The client reports a server that it lost and found again as a new one; it does not report a promotion. Calls for a lost
   * server too: the client looks for its replacement only with the next command.
   */
  onReconnect(listener: () => void): () => void {
    const stops = ['ready', '+node', '-node'].map((event) => this.#listening.on(event, listener));
    stops.push(onNewMaster(this.#map.addresses, listener));
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** Asks any other server for the owners of all slots, then doubts the connection to the owner of this key. */
  suspect(key: string, unansweredMs: number): void {
    void this.#map
      .refresh()
      .catch(() => undefined)
      .then(() => this.#map.doubt(keySlot(key), unansweredMs));
  }

  async close(): Promise<void> {
    this.#listening.stopAll();
    await this.#opened.close();
  }
}
