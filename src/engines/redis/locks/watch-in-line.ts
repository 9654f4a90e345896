import type { Watchable } from '../../../spi/engine/protocol.ts';
import type { WaitQueues } from './wait-queues.ts';
import type { RedisContext } from '../redis-context.ts';

/** Watches one channel for all waiters of this process, where the server keeps no line: a message wakes only the first of them. */
export function watchInLine(
  { scripts, channels, pubSub }: RedisContext,
  kind: string,
  lines: WaitQueues,
  channelOf: (name: string) => string,
): Watchable['watch'] {
  return async (name, owner, heard) => {
    const { subscribe } = pubSub.known ?? (await pubSub.get(() => scripts.subject(kind, name)));
    const unlisten = lines.listen(owner, heard);
    const callIfFirst = (): void => {
      if (!lines.isBehind(name, owner)) heard();
    };
    const about = scripts.subject(kind, name);
    const watching = channels.watch(subscribe, channelOf(name), callIfFirst, about);
    const unwatch = await watching.catch((error: unknown) => {
      unlisten();
      throw error;
    });
    return () => {
      unlisten();
      unwatch();
    };
  };
}
