import type { NodeRedisClient, NodeRedisCluster, NodeRedisSentinel } from './node-redis-shapes.ts';

/** The parts of node-redis that we use and that its documentation does not mention, all of them here. */
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

/** What a client does with each command, by name; also what one has inherited that was made of another. */
export function commandOptionNamesOf(client: NodeRedisClient): string[] {
  const names: string[] = [];
  for (const name in (client as ClientInsides)['_commandOptions']) names.push(name);
  return names;
}

export function keyPrefixOf(client: NodeRedisCluster | NodeRedisSentinel): unknown {
  return (client as ClusterInsides)['_keyPrefix'];
}

/** Has the cluster asked who owns what. Without this it would only be asked after a command has gone astray. */
export async function rediscover(
  cluster: NodeRedisCluster,
  startWith: NodeRedisClient | undefined,
): Promise<void> {
  await (cluster as ClusterInsides)['_slots']?.rediscover?.(startWith);
}

/**
 * Hands out one of a sentinel's connections to the master. The documented commands will not do: they are sent again on
 * another connection when one breaks, where a WAIT speaks of other writes, perhaps of another server's.
 */
export function useMaster<T>(
  sentinel: NodeRedisSentinel,
  use: (master: NodeRedisClient) => Promise<T>,
): Promise<T> {
  return (sentinel as NodeRedisSentinel & SentinelInsides)['_execute'](false, use);
}

/** Ends the connection of a client that says it has none. */
export function dropSocketOf(client: NodeRedisClient): void {
  (client as ClientInsides)['_ejectSocket']?.().destroySocket?.();
}

/** Rejects the commands that have been sent and not been answered. On a new connection there are none. */
export function forgetSentTo(client: NodeRedisClient): void {
  (client as ClientInsides)['_getQueue']?.().flushWaitingForReply?.(new Error('The connection has broken.'));
}
