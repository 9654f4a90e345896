import { systemClock } from '../../../../core/time/clock.ts';
import type { CommandOutcome, Reply } from '../../driver.ts';
import type { ClusterAddresses } from '../cluster/cluster-routing.ts';
import type { ClusterMap } from '../cluster/cluster-router.ts';
import { IoredisMessages } from './ioredis-messages.ts';
import { reconnectIoredis } from './ioredis-master.ts';
import { sendPipeline } from './ioredis-pipeline.ts';
import { waitForIoredis } from './ioredis-ready.ts';
import { gatherWrites, writeGathered } from './ioredis-writes.ts';
import { plainly } from '../reply.ts';
import { isSilentIoredis } from './ioredis-silence.ts';
import type { IoredisClient, IoredisCluster } from './ioredis-shapes.ts';
import type { Listening } from '../subscriptions/listening.ts';

/** The servers of a cluster, as an ioredis cluster knows them. */
export class IoredisClusterMap implements ClusterMap<IoredisClient> {
  readonly addresses: ClusterAddresses;
  readonly #cluster: IoredisCluster;
  readonly #closing: AbortSignal;
  #clients: ReadonlyMap<string, IoredisClient> | undefined;
  /** Since when each connection carries commands. */
  readonly #usedSince = new WeakMap<IoredisClient, number>();
  readonly #inDoubt = new WeakSet<IoredisClient>();

  constructor(cluster: IoredisCluster, listening: Listening, closing: AbortSignal) {
    this.#cluster = cluster;
    this.#closing = closing;
    for (const change of ['+node', '-node']) {
      listening.on(change, () => {
        this.#clients = undefined;
      });
    }
    this.addresses = {
      ownerOf: (slot) => cluster.slots[slot]?.[0],
      masters: () => cluster.nodes('master').map(addressOf),
      refresh: () => this.refresh(),
      open: async (address, events) => {
        const like = await this.findAt(address);
        if (like === undefined) throw new Error(`${address} is no longer in the cluster.`);
        return new IoredisMessages(like, events);
      },
      onChange: (listener) => listening.on('refresh', listener),
    };
  }

  ownerOf(slot: number): IoredisClient | undefined {
    if (this.#cluster.status !== 'ready') return undefined;
    return this.#at(this.#cluster.slots[slot]?.[0]);
  }

  async findOwner(slot: number): Promise<IoredisClient | undefined> {
    await this.connect();
    return this.ownerOf(slot);
  }

  async findAt(address: string): Promise<IoredisClient | undefined> {
    await this.connect();
    return this.#at(address);
  }

  async refresh(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#cluster.refreshSlotsCache((error) => (error ? reject(error) : resolve()));
    });
  }

  send(client: IoredisClient, command: readonly string[]): Promise<Reply> {
    gatherWrites(client);
    const reply = plainly(command, client.call(...command));
    writeGathered(client);
    return reply;
  }

  sendTogether(
    client: IoredisClient,
    commands: readonly (readonly string[])[],
  ): Promise<readonly CommandOutcome[]> {
    return sendPipeline(client.pipeline(), commands);
  }

  /**
   * Checks the connection to the server of a slot, which has not answered for `unansweredMs`. Ends it if the server answers on
   * a fresh one and no byte has arrived on the old one: the cluster client then counts the server as new, and connects to it
   * with the next command.
   */
  async doubt(slot: number, unansweredMs: number): Promise<void> {
    const client = this.ownerOf(slot);
    if (client === undefined || this.#inDoubt.has(client)) return;
    if (systemClock.now() - (this.#usedSince.get(client) ?? -Infinity) < unansweredMs) return;
    this.#inDoubt.add(client);
    const isSilent = await isSilentIoredis(client, unansweredMs, this.#closing);
    this.#inDoubt.delete(client);
    if (isSilent && client.status === 'ready') reconnectIoredis(client);
  }

  /** Connects a lazy client, which would do so only with its first command: this map uses its parts instead. */
  async connect(): Promise<void> {
    if (this.#cluster.status === 'wait') this.#cluster.connect().catch(() => undefined);
    await waitForIoredis(this.#cluster, this.#closing);
  }

  #at(address: string | undefined): IoredisClient | undefined {
    if (address === undefined) return undefined;
    this.#clients ??= new Map(
      this.#cluster.nodes('all').map((client) => [addressOf(client), this.#recordUse(client)]),
    );
    return this.#clients.get(address);
  }

  #recordUse(client: IoredisClient): IoredisClient {
    if (!this.#usedSince.has(client)) this.#usedSince.set(client, systemClock.now());
    return client;
  }
}

export function addressOf({ options }: IoredisClient): string {
  return `${options.host}:${options.port}`;
}
