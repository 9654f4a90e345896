import type { Place } from '../faults/redis/open-locks.ts';
import { type RedisCluster, startRedisCluster } from '../fixtures/redis/redis-cluster.ts';
import { type RedisServer, startRedisServer } from '../fixtures/redis/redis-server.ts';

export type Topology = 'single server' | 'cluster';

/** One server, or three masters of a cluster: where both sides meet. */
export class Servers {
  readonly place: Place;
  readonly #servers: RedisServer | RedisCluster;

  private constructor(servers: RedisServer | RedisCluster) {
    this.#servers = servers;
    this.place =
      'nodes' in servers ? { cluster: servers.nodes.map(({ port }) => port) } : { port: servers.port };
  }

  static async start(topology: Topology): Promise<Servers> {
    if (topology === 'single server') return new Servers(await startRedisServer());
    return new Servers(await startRedisCluster({ replicasPerMaster: 0 }));
  }

  /** The one that has this key. */
  async of(key: string): Promise<RedisServer> {
    return 'nodes' in this.#servers ? this.#servers.masterOf(key) : this.#servers;
  }

  async ttl(key: string): Promise<number> {
    return Number(await (await this.of(key)).command('PTTL', key));
  }

  stop(): Promise<void> {
    return this.#servers.stop();
  }
}
