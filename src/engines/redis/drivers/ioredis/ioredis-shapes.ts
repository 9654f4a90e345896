import type { Emitter } from '../subscriptions/listening.ts';

/** The part of ioredis that the drivers use, major version 5 and up, so that our types need no installed client. */

export interface IoredisPipeline {
  call(...command: readonly string[]): unknown;
  exec(): Promise<readonly (readonly [error: Error | null, reply?: unknown])[] | null>;
}

/** The members that a connection and a cluster share. */
interface IoredisCommander extends Emitter {
  readonly status: string;
  call(...command: readonly string[]): Promise<unknown>;
  ping(): Promise<unknown>;
  pipeline(): IoredisPipeline;
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  psubscribe(pattern: string): Promise<unknown>;
  punsubscribe(pattern: string): Promise<unknown>;
  ssubscribe(channel: string): Promise<unknown>;
  sunsubscribe(channel: string): Promise<unknown>;
  connect(): Promise<void>;
  disconnect(reconnect?: boolean): void;
}

export interface IoredisOptions {
  readonly host?: string;
  readonly port?: number;
  readonly path?: string | null;
  readonly tls?: unknown;
  readonly sentinels?: readonly unknown[] | null;
  readonly keyPrefix?: string;
  readonly stringNumbers?: boolean;
  readonly retryStrategy?: unknown;
}

/** The socket of a connection. */
export interface IoredisStream {
  readonly remoteAddress?: string;
  readonly remotePort?: number;
  readonly bytesRead: number;
  readonly writableCorked: number;
  readonly writableLength: number;
  cork(): void;
  uncork(): void;
  destroy(): void;
}

export interface IoredisClient extends IoredisCommander {
  readonly options: IoredisOptions;
  readonly mode: string;
  readonly stream?: IoredisStream;
  /** The commands that were sent and are not answered yet. */
  readonly commandQueue?: { readonly length: number };
  duplicate(overrides: object): IoredisClient;
}

export interface IoredisCluster extends IoredisCommander {
  readonly isCluster: true;
  readonly options: {
    readonly keyPrefix?: string;
    readonly redisOptions?: IoredisOptions;
  };
  /** The addresses of each slot, its master first. */
  readonly slots: readonly (readonly string[] | undefined)[];
  nodes(role: 'all' | 'master'): readonly IoredisClient[];
  refreshSlotsCache(refreshed: (error?: Error | null) => void): void;
  duplicate(startupNodes: readonly never[], overrides: object): IoredisCluster;
}
