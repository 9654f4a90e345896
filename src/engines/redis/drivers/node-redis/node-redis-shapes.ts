import type { Emitter } from '../subscriptions/listening.ts';

/** The part of node-redis that the drivers use, major version 5 and up, so that our types need no installed client. */

export interface NodeRedisCommandOptions {
  readonly [name: string]: undefined | symbol;
}

export type NodeRedisListener = (message: string, channel: string) => void;

export interface NodeRedisPubSub {
  subscribe(channel: string, listener: NodeRedisListener): Promise<void>;
  unsubscribe(channel: string, listener: NodeRedisListener): Promise<void>;
  pSubscribe(pattern: string, listener: NodeRedisListener): Promise<void>;
  pUnsubscribe(pattern: string, listener: NodeRedisListener): Promise<void>;
  sSubscribe(channel: string, listener: NodeRedisListener): Promise<void>;
  sUnsubscribe(channel: string, listener: NodeRedisListener): Promise<void>;
}

export interface NodeRedisClientOptions {
  readonly socket?: {
    readonly host?: string;
    readonly port?: number;
    readonly path?: string;
    readonly tls?: boolean;
  };
  readonly keyPrefix?: string;
}

export interface NodeRedisClient extends Emitter, NodeRedisPubSub {
  readonly isOpen: boolean;
  readonly isReady: boolean;
  readonly isPubSubActive: boolean;
  readonly options: NodeRedisClientOptions | undefined;
  sendCommand(command: readonly string[], options: NodeRedisCommandOptions): Promise<unknown>;
  duplicate(overrides: object): NodeRedisClient;
  connect(): Promise<unknown>;
  destroy(): void;
}

export interface NodeRedisClusterNode {
  readonly address: string;
  readonly client?: NodeRedisClient;
}

export interface NodeRedisCluster extends Emitter {
  readonly isOpen: boolean;
  readonly slots: readonly ({ readonly master: NodeRedisClusterNode } | undefined)[];
  readonly masters: readonly NodeRedisClusterNode[];
  readonly nodeByAddress: ReadonlyMap<string, NodeRedisClusterNode>;
  nodeClient(node: NodeRedisClusterNode): Promise<NodeRedisClient> | NodeRedisClient;
  duplicate(overrides: object): NodeRedisCluster;
  connect(): Promise<unknown>;
  destroy(): void;
}

export interface NodeRedisSentinel extends Emitter {
  readonly isOpen: boolean;
  connect(): Promise<unknown>;
  getMasterNode(): { readonly host: string; readonly port: number } | undefined;
  destroy(): Promise<void> | void;
}
