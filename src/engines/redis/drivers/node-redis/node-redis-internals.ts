import type { NodeRedisClient, NodeRedisCluster, NodeRedisSentinel } from './node-redis-shapes.ts';

/** The undocumented parts of node-redis that the drivers use, all in this file. */
interface ClusterInsides {
  readonly _keyPrefix?: unknown;
  readonly _slots?: { rediscover?(startWith: NodeRedisClient | undefined): Promise<unknown> };
}

interface SentinelInsides {
  readonly _keyPrefix?: unknown;
  _execute<T>(readOnly: boolean, use: (master: NodeRedisClient) => Promise<T>): Promise<T>;
}

interface ClientInsides {
  readonly _commandOptions?: object;
  _ejectSocket?(): { destroySocket?(): void };
  _getQueue?(): { flushWaitingForReply?(error: Error): void };
}

/** The names of a client's command options, including those that a derived client inherits. */
export function commandOptionNamesOf(client: NodeRedisClient): string[] {
  const names: string[] = [];
  for (const name in (client as ClientInsides)['_commandOptions']) names.push(name);
  return names;
}

export function keyPrefixOf(client: NodeRedisCluster | NodeRedisSentinel): unknown {
  return (client as ClusterInsides)['_keyPrefix'];
}

/** Makes the cluster client ask for the owners of slots. Otherwise it asks only after a redirect. */
export async function rediscover(
  cluster: NodeRedisCluster,
  startWith: NodeRedisClient | undefined,
): Promise<void> {
  await (cluster as ClusterInsides)['_slots']?.rediscover?.(startWith);
}

/**
 * Lends one of a sentinel's connections to the master. The tempting alternative is its documented commands: they are sent
 * again on another connection when one breaks, where a WAIT counts the replicas of other writes, perhaps of another server.
 */
export function useMaster<T>(
  sentinel: NodeRedisSentinel,
  use: (master: NodeRedisClient) => Promise<T>,
): Promise<T> {
  return (sentinel as NodeRedisSentinel & SentinelInsides)['_execute'](false, use);
}

/** Ends the connection of a client that reports itself as closed. */
export function dropSocketOf(client: NodeRedisClient): void {
  (client as ClientInsides)['_ejectSocket']?.().destroySocket?.();
}

/** Rejects the commands that were sent and not answered. A new connection has none. */
export function forgetSentTo(client: NodeRedisClient): void {
  (client as ClientInsides)['_getQueue']?.().flushWaitingForReply?.(new Error('The connection has broken.'));
}
