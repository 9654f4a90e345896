import { systemClock } from '../../../../core/time/clock.ts';
import { connectNodeRedis, destroyNodeRedis, nodeRedisAddress } from './connect-node-redis.ts';
import { Listeners } from '../listeners.ts';
import { Listening } from '../subscriptions/listening.ts';
import { NodeRedisConnections } from './node-redis-connections.ts';
import { useMaster } from './node-redis-internals.ts';
import type { NodeRedisClient, NodeRedisSentinel } from './node-redis-shapes.ts';
import { notOpen, reconnectDelayMs } from '../opened-connections.ts';
import { isError } from '../../../../spi/is-error.ts';

/**
 * A connection to the current master of a node-redis sentinel: one of the sentinel's, or a copy of our own.
 *
 * Commands use the connection itself, not the sentinel. The sentinel makes concurrent commands wait for one another, and
 * guards its pool with a lock at which busy callers can starve ours.
 */
export class NodeRedisMaster {
  readonly connections = new NodeRedisConnections();
  readonly #sentinel: NodeRedisSentinel;
  readonly #copied: boolean;
  readonly #reconnected = new Listeners();
  #client: NodeRedisClient | undefined;
  #listening: Listening | undefined;
  #finding: Promise<NodeRedisClient> | undefined;
  #connectionsMade = 0;
  #address = 'unknown';
  #inDoubt = false;
  #isFollowing = false;
  #endPause: () => void = () => undefined;
  #closed = false;

  constructor(sentinel: NodeRedisSentinel, options: { readonly copied: boolean }) {
    this.#sentinel = sentinel;
    this.#copied = options.copied;
  }

  /**
   * How many connections have come up, including the first one, which no event reports. A connection that comes up by itself
   * and that `follow` adopts at the same time counts twice: a caller then gets an unknown outcome although nothing was done. To
   * count it once needs proof that no other connection came in between, and a count that is too low would report that nothing
   * was done although the server may have carried the command out (soundness 3).
   */
  get connectionsMade(): number {
    return this.#connectionsMade;
  }

  /** Whether a command leaves at once. */
  get isUp(): boolean {
    return this.ready !== undefined && this.connections.isUp(this.ready);
  }

  /** The connection, if it is ready. */
  get ready(): NodeRedisClient | undefined {
    return this.#client?.isReady === true ? this.#client : undefined;
  }

  /** The last known address. */
  get address(): string {
    return this.#address;
  }

  async find(): Promise<NodeRedisClient> {
    if (this.ready !== undefined) return this.ready;
    this.#finding ??= this.#find().finally(() => {
      this.#finding = undefined;
    });
    return this.#finding;
  }

  /** Drops a master that refuses writes: it has been replaced, and the sentinel may not know that yet. */
  recordError(error: unknown): void {
    if (!isError(error) || !error.message.startsWith('READONLY')) return;
    this.#inDoubt = true;
    this.#letGo();
  }

  /**
   * Finds the next master as soon as there is one, also when nothing is sent: a listener for reconnects would otherwise wait
   * for the next command, which may be a third of a lease away.
   */
  async follow(): Promise<void> {
    // No command was ever sent: no hold can be lost.
    if (this.#isFollowing || this.#listening === undefined) return;
    this.#isFollowing = true;
    for (let attempt = 0; !this.#closed && this.ready === undefined; attempt += 1) {
      try {
        await this.find();
      } catch {
        // The sentinels know of none yet.
        await this.#pause(reconnectDelayMs(attempt));
      }
    }
    this.#isFollowing = false;
  }

  /** Checks a master that has not answered for `unansweredMs`. If it answers on a fresh connection, commands move to that. */
  async doubt(unansweredMs: number): Promise<void> {
    const client = this.#client;
    const fresh = client && (await this.connections.openFresh(client, unansweredMs));
    if (client === undefined || fresh === undefined) return;
    this.connections.standIn(client, fresh, { reconnected: () => this.#tell() });
    this.#tell();
  }

  onReconnect(listener: () => void): () => void {
    return this.#reconnected.add(listener);
  }

  close(): void {
    this.#closed = true;
    this.#endPause();
    this.#reconnected.clear();
    this.connections.close();
    this.#letGo();
  }

  async #find(): Promise<NodeRedisClient> {
    if (!this.#sentinel.isOpen) throw notOpen();
    const master = await useMaster(this.#sentinel, (client) => this.#check(client));
    const client = this.#copied ? await this.#copy(master) : master;
    this.#adopt(client);
    return client;
  }

  /** Throws READONLY for a replaced master: the sentinel then looks for the master again, and repeats. */
  async #check(client: NodeRedisClient): Promise<NodeRedisClient> {
    if (!this.#inDoubt) return client;
    const role = await this.connections.send(client, ['ROLE']).catch(() => undefined);
    if (Array.isArray(role) && role[0] !== 'master') throw new Error('READONLY It is no longer the master.');
    this.#inDoubt = false;
    return client;
  }

  /** A copy without reconnects: another server may be the master by then. */
  async #copy(master: NodeRedisClient): Promise<NodeRedisClient> {
    const copy = master.duplicate({ socket: { ...master.options?.socket, reconnectStrategy: false } });
    copy.on('error', () => undefined);
    await connectNodeRedis(copy);
    return copy;
  }

  #adopt(client: NodeRedisClient): void {
    const isFirst = this.#listening === undefined;
    this.#letGo();
    this.#client = client;
    this.#address = nodeRedisAddress(client);
    if (this.#closed) {
      this.#letGo();
      throw notOpen();
    }
    this.#listening = new Listening(client);
    this.#listening.on('ready', () => this.#tell());
    for (const trouble of ['error', 'end']) this.#listening.on(trouble, () => void this.follow());
    if (isFirst) this.#connectionsMade++;
    else this.#tell();
  }

  #pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = systemClock.timer(delayMs, resolve);
      this.#endPause = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  #letGo(): void {
    this.#listening?.stopAll();
    if (this.#copied && this.#client !== undefined) destroyNodeRedis(this.#client);
    this.#client = undefined;
  }

  #tell(): void {
    this.#connectionsMade++;
    this.#reconnected.tell();
  }
}
