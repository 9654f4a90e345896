import { systemClock } from '../../../../core/time/clock.ts';
import { connectNodeRedis, destroyNodeRedis, nodeRedisAddress } from './connect-node-redis.ts';
import { Listening } from '../subscriptions/listening.ts';
import { NodeRedisConnections } from './node-redis-connections.ts';
import { useMaster } from './node-redis-internals.ts';
import type { NodeRedisClient, NodeRedisSentinel } from './node-redis-shapes.ts';
import { notOpen, reconnectDelayMs } from '../opened-connections.ts';

/**
 * A connection to whoever is the master now, by a node-redis sentinel: one of its own, or a copy that is ours.
 *
 * Commands go over the connection itself, not through the sentinel. That one lets commands of the same moment wait for one
 * another, and gives them a lock around its pool that busy others can keep them out of for good.
 */
export class NodeRedisMaster {
  readonly connections = new NodeRedisConnections();
  readonly #sentinel: NodeRedisSentinel;
  readonly #copied: boolean;
  readonly #reconnected = new Set<() => void>();
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
   * How many connections have come up, the first one included, of which no listener hears. One that comes up by itself and is
   * adopted again by `follow` at the same time counts twice: a caller is then told that the outcome is unknown where nothing was
   * done. To count it once needs proof that no other connection was there in between, and a connection too few tells a caller
   * that nothing was done where something may have been (soundness 3).
   */
  get connectionsMade(): number {
    return this.#connectionsMade;
  }

  /** Whether a command leaves at once. */
  get isUp(): boolean {
    return this.ready !== undefined && this.connections.isUp(this.ready);
  }

  /** The connection, if it can be used at once. */
  get ready(): NodeRedisClient | undefined {
    return this.#client?.isReady === true ? this.#client : undefined;
  }

  /** As last seen. */
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

  /** A master that refuses to write has been replaced, and the sentinel may not have heard of it. */
  recordError(error: unknown): void {
    if (!(error instanceof Error) || !error.message.startsWith('READONLY')) return;
    this.#inDoubt = true;
    this.#letGo();
  }

  /**
   * Finds the next master as soon as there is one, also when nothing is sent: whoever waits to be told of a reconnect
   * would not hear of it before the next command, which may be a third of a lease away.
   */
  async follow(): Promise<void> {
    // Nothing was ever sent there: nothing can have been lost with it.
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

  /** It has not answered for so long: if it answers on a fresh connection, commands go over that one. */
  async doubt(unansweredMs: number): Promise<void> {
    const client = this.#client;
    const fresh = client && (await this.connections.openFresh(client, unansweredMs));
    if (client === undefined || fresh === undefined) return;
    this.connections.standIn(client, fresh, { reconnected: () => this.#tell() });
    this.#tell();
  }

  onReconnect(listener: () => void): () => void {
    // A function of its own, so that the same listener can be given twice and taken off once.
    const call = (): void => listener();
    this.#reconnected.add(call);
    return () => this.#reconnected.delete(call);
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

  /** The sentinel looks for the master anew when a command fails like this, and then tries again. */
  async #check(client: NodeRedisClient): Promise<NodeRedisClient> {
    if (!this.#inDoubt) return client;
    const role = await this.connections.send(client, ['ROLE']).catch(() => undefined);
    if (Array.isArray(role) && role[0] !== 'master') throw new Error('READONLY It is no longer the master.');
    this.#inDoubt = false;
    return client;
  }

  /** One that does not reconnect by itself: the master may be another by then. */
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
    for (const listener of this.#reconnected) listener();
  }
}
