import type { ConnectionOptions } from 'node:tls';
import type { Clock, Random } from '../../../spi/clock.ts';
import { type AccessRule, openAccess } from './protocol/access-rule.ts';
import { multi, type MultiResult } from './protocol/multi.ts';
import {
  ANY_VERSION,
  checkNode,
  createNode,
  type CreatedNode,
  deleteNode,
  listChildren,
  listEphemerals,
  type NodeChildren,
  type NodeData,
  type NodeMode,
  readNode,
  readNodeAccess,
  statNode,
  syncNode,
  writeNode,
  writeNodeAccess,
} from './protocol/node-operations.ts';
import type { NodeStat } from './protocol/node-stat.ts';
import type { Operation } from './protocol/operation.ts';
import { type AuthInfo, type Identity, whoAmI } from './protocol/session-operations.ts';
import { ZooKeeperError } from './protocol/zookeeper-error.ts';
import { callListener } from './session/call-listener.ts';
import { NodePaths } from './session/node-paths.ts';
import type { SaslUser } from './session/sasl-digest-md5.ts';
import { parseConnectionString } from './session/server-list.ts';
import type { GrantedSession, SessionStatus } from './session/session-status.ts';
import type { WatchKind, WatchListener } from './session/watch-table.ts';
import { Watches } from './session/watches.ts';
import { ZooKeeperSession } from './session/zookeeper-session.ts';

export interface ZooKeeperClientOptions {
  /** `host:2181,host2:2181/chroot`. */
  readonly servers: string;
  readonly clock: Clock;
  readonly random: Random;
  /** The requested session time. The server limits it, by default to 4 to 40 s: see `ready`. Default: 30 000. */
  readonly sessionMs?: number;
  /** How long the first connection may take, over all servers. Default: `sessionMs`. */
  readonly connectMs?: number;
  readonly tls?: ConnectionOptions;
  readonly auth?: readonly AuthInfo[];
  /** SASL by DIGEST-MD5. Kerberos is not supported: it would need native code. */
  readonly sasl?: SaslUser;
  /** `jute.maxbuffer` of the servers: a larger request would end the connection, so this client refuses it. Default: 1 048 575. */
  readonly maxRequestBytes?: number;
  /** The largest reply: a list of children may be larger than any request. Default: 4 MiB. */
  readonly maxReplyBytes?: number;
}

/** One step of a `multi`. */
export type MultiStep =
  | {
      readonly type: 'create';
      readonly path: string;
      readonly data?: Uint8Array;
      readonly mode?: NodeMode;
      readonly access?: readonly AccessRule[];
    }
  | { readonly type: 'delete' | 'check'; readonly path: string; readonly version?: number }
  | { readonly type: 'set'; readonly path: string; readonly data: Uint8Array; readonly version?: number };

/** The time-out of a session that names none. */
export const USUAL_SESSION_MS = 30_000;
const MAX_REQUEST_BYTES = 0xfffff;
const MAX_REPLY_BYTES = 4 * 1024 * 1024;
const EMPTY = Buffer.alloc(0);

/**
 * A client of ZooKeeper: one object is one session. It connects by itself, moves to another server when one fails, and sets
 * watches and credentials again there. An ended session stays ended: pending requests reject, and every watch is called.
 */
export class ZooKeeperClient {
  readonly #session: ZooKeeperSession;
  readonly #paths: NodePaths;
  readonly #watches: Watches;
  readonly #listeners = new Set<(status: SessionStatus) => void>();

  constructor(options: ZooKeeperClientOptions) {
    const { servers, chroot } = parseConnectionString(options.servers);
    const sessionMs = options.sessionMs ?? USUAL_SESSION_MS;
    this.#paths = new NodePaths(chroot);
    this.#watches = new Watches(this.#paths, (operation, onReply) =>
      this.#session.request(operation, onReply),
    );
    this.#session = new ZooKeeperSession({
      clock: options.clock,
      random: options.random,
      servers,
      sessionMs,
      connectMs: options.connectMs ?? sessionMs,
      tls: options.tls,
      auth: options.auth ?? [],
      sasl: options.sasl,
      maxRequestBytes: options.maxRequestBytes ?? MAX_REQUEST_BYTES,
      maxReplyBytes: options.maxReplyBytes ?? MAX_REPLY_BYTES,
      onStatus: (status) => this.#tell(status),
      onEvent: (type, path) => this.#watches.fire(type, path),
      watchRequests: (sinceZxid) => this.#watches.requests(sinceZxid),
    });
  }

  get status(): SessionStatus {
    return this.#session.status;
  }

  /** The session, once a server has granted one. */
  get session(): GrantedSession | undefined {
    return this.#session.granted;
  }

  /** Resolves with the first session. Compare `grantedMs` with `requestedMs`: the server may have clamped it. */
  async ready(): Promise<GrantedSession> {
    if (!this.#session.granted) await this.sync('/');
    return this.#session.granted!;
  }

  /** Calls the listener on every change, and whenever the deadline moves. Returns a function that ends it. */
  onStatus(listener: (status: SessionStatus) => void): () => void {
    const own = (status: SessionStatus): void => listener(status);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  async create(
    path: string,
    data: Uint8Array = EMPTY,
    mode: NodeMode = 'persistent',
    access: readonly AccessRule[] = openAccess,
  ): Promise<CreatedNode> {
    const created = await this.#request(createNode(this.#toServer(path, mode), data, mode, access));
    return { ...created, path: this.#paths.fromServer(created.path) };
  }

  async delete(path: string, version = ANY_VERSION): Promise<void> {
    await this.#request(deleteNode(this.#paths.toServer(path), version));
  }

  /** Undefined when there is no such node. Calls the listener once, when the node is created, changed or deleted. */
  async exists(path: string, listener?: WatchListener): Promise<NodeStat | undefined> {
    try {
      const operation = statNode(this.#paths.toServer(path), listener !== undefined);
      return await this.#request(operation, this.#watches.register('exists', path, listener));
    } catch (error) {
      if (error instanceof ZooKeeperError && error.code === 'NO_NODE') return undefined;
      throw error;
    }
  }

  /** Calls the listener once, when the node is changed or deleted. Sets no watch when there is no node. */
  async getData(path: string, listener?: WatchListener): Promise<NodeData> {
    const operation = readNode(this.#paths.toServer(path), listener !== undefined);
    return this.#request(operation, this.#watches.register('data', path, listener));
  }

  async setData(path: string, data: Uint8Array, version = ANY_VERSION): Promise<NodeStat> {
    return this.#request(writeNode(this.#paths.toServer(path), data, version));
  }

  /** Calls the listener once, when a child is created or deleted, or the node itself is deleted. */
  async getChildren(path: string, listener?: WatchListener): Promise<NodeChildren> {
    const operation = listChildren(this.#paths.toServer(path), listener !== undefined);
    return this.#request(operation, this.#watches.register('children', path, listener));
  }

  /** After it, every read of this client sees at least what the leader has committed until now. */
  async sync(path: string): Promise<void> {
    await this.#request(syncNode(this.#paths.toServer(path)));
  }

  /** Carries out all steps, or none of them. */
  async multi(steps: readonly MultiStep[]): Promise<readonly MultiResult[]> {
    const results = await this.#request(multi(steps.map((step) => this.#operationOf(step))));
    return results.map((each) =>
      each.kind === 'created' ? { ...each, path: this.#paths.fromServer(each.path) } : each,
    );
  }

  async getAccess(path: string): Promise<{ readonly rules: readonly AccessRule[]; readonly stat: NodeStat }> {
    return this.#request(readNodeAccess(this.#paths.toServer(path)));
  }

  async setAccess(path: string, rules: readonly AccessRule[], version = ANY_VERSION): Promise<NodeStat> {
    return this.#request(writeNodeAccess(this.#paths.toServer(path), rules, version));
  }

  /** The nodes of this session below a path. */
  async getEphemerals(prefix = '/'): Promise<readonly string[]> {
    const paths = await this.#request(listEphemerals(this.#paths.toServer(prefix)));
    return paths.map((path) => this.#paths.fromServer(path));
  }

  /** The identities under which the server knows this connection. Servers since 3.7. */
  whoAmI(): Promise<readonly Identity[]> {
    return this.#request(whoAmI());
  }

  /**
   * Calls a listener with every event of a path, or of all paths below it, until it is removed. Unlike one-time watches, a
   * persistent watch reports nothing of what happened during a reconnect: look again after every `connected`.
   */
  async addWatch(path: string, kind: 'persistent' | 'recursive', listener: WatchListener): Promise<void> {
    await this.#watches.add(path, kind, listener);
  }

  /** Removes a listener; after the last one of a path, the server removes the watch. */
  async removeWatch(path: string, kind: WatchKind, listener: WatchListener): Promise<void> {
    await this.#watches.remove(path, kind, listener);
  }

  /** Ends the session, and with it its ephemeral nodes. Never rejects. */
  close(): Promise<void> {
    return this.#session.close();
  }

  #request<T>(operation: Operation<T>, onReply?: (error: Error | undefined) => void): Promise<T> {
    return this.#session.request(operation, onReply);
  }

  #operationOf(step: MultiStep): Operation<unknown> {
    if (step.type === 'create') {
      const { data = EMPTY, mode = 'persistent', access = openAccess } = step;
      return createNode(this.#toServer(step.path, mode), data, mode, access);
    }
    const path = this.#paths.toServer(step.path);
    const version = step.version ?? ANY_VERSION;
    if (step.type === 'set') return writeNode(path, step.data, version);
    return step.type === 'delete' ? deleteNode(path, version) : checkNode(path, version);
  }

  /** The name of a sequential node may be the number alone. */
  #toServer(path: string, mode: NodeMode): string {
    const sequential = typeof mode === 'object' ? mode.sequential : mode.endsWith('sequential');
    return this.#paths.toServer(path, sequential);
  }

  #tell(status: SessionStatus): void {
    if (status.state === 'lost') this.#watches.end();
    for (const listener of this.#listeners) callListener(listener, status);
  }
}
