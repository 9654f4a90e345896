import type { Change } from '../../../spi/engine/inspector.ts';
import type { Unwatch } from '../../../spi/engine/protocol.ts';
import type { InspectorListeners } from './listeners.ts';
import { CHANNEL_PATTERNS, toldOn } from './names.ts';
import type { RedisContext } from '../redis-context.ts';

/** How often to poll for listeners, where no pattern covers all channels. */
const LOOK_MS = 1000;

type TellChange = (change: Change) => void;

/**
 * Reports names for which a message was sent: a release, a count or a set. An acquisition sends no message.
 *
 * A sharded cluster has no patterns to subscribe by. A subscription to each of its channels would count as a waiter for every
 * release; there this polls once a second for channels that gained their first listener or lost their last.
 */
export async function watchChanges(
  parts: RedisContext,
  listeners: InspectorListeners,
  listener: TellChange,
): Promise<Unwatch> {
  const { subscribe } = await parts.pubSub.get();
  const tell = shielded(listener);
  return subscribe === 'shard' ? pollListeners(parts, listeners, tell) : subscribeToAll(parts, tell);
}

async function subscribeToAll(parts: RedisContext, tell: TellChange): Promise<Unwatch> {
  let begun = false;
  const report = (_message: string, channel: string): void => {
    if (channel !== '') tellOf(parts, channel, tell);
    // Without a channel after a gap, and once at the first subscription, before which nothing could be missed.
    else if (begun) tell({ what: 'anything' });
  };
  const unwatches = await Promise.all(
    CHANNEL_PATTERNS.map((pattern) => parts.channels.watch('pattern', pattern, report)),
  );
  begun = true;
  return () => {
    for (const unwatch of unwatches) unwatch();
  };
}

async function pollListeners(
  parts: RedisContext,
  listeners: InspectorListeners,
  tell: TellChange,
): Promise<Unwatch> {
  const { client } = parts;
  let before = await listeners.findChannels(CHANNEL_PATTERNS);
  let over = false;
  const look = async (): Promise<void> => {
    while (!over && !client.closed) {
      await client.sleep(LOOK_MS);
      if (over || client.closed) return;
      try {
        const now = await listeners.findChannels(CHANNEL_PATTERNS);
        if (over) return;
        for (const channel of new Set([...before, ...now])) {
          if (before.has(channel) !== now.has(channel)) tellOf(parts, channel, tell);
        }
        before = now;
      } catch (error) {
        client.events.trouble.emit({ kind: 'inspector', name: 'changes', engine: client.label, error });
      }
    }
  };
  client.background(look());
  return () => {
    over = true;
  };
}

/** Calls a listener so that its error keeps no message from other listeners, and surfaces as an uncaught exception. */
function shielded(listener: TellChange): TellChange {
  return (change) => {
    try {
      listener(change);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  };
}

function tellOf({ keys }: RedisContext, channel: string, tell: TellChange): void {
  const told = toldOn(channel);
  const name = told && keys.nameOf(told.key);
  if (told === undefined || name === undefined || name === '') return;
  for (const kind of told.kinds) tell({ what: 'name', kind, name });
}
