import type { JuteReader } from '../jute/jute-reader.ts';

/**
 * What a watch reports. The server sends `created`, `deleted`, `changed` and `children`. This client adds `unwatched`, when the
 * server has removed the watch with that of another listener on the same path (look again), and `lost`, when the session has
 * ended.
 */
export interface WatchEvent {
  readonly type: 'created' | 'deleted' | 'changed' | 'children' | 'unwatched' | 'lost';
  readonly path: string;
}

export type ServerEventType = Exclude<WatchEvent['type'], 'unwatched' | 'lost'>;

const types: Readonly<Record<number, ServerEventType>> = {
  1: 'created',
  2: 'deleted',
  3: 'changed',
  4: 'children',
};

/** Undefined for an event that is not about a node. */
export function readWatchEvent(
  reader: JuteReader,
): { readonly type: ServerEventType; readonly path: string } | undefined {
  const type = types[reader.int()];
  reader.int();
  const path = reader.string();
  return type === undefined ? undefined : { type, path };
}
