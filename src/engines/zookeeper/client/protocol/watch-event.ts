import type { JuteReader } from '../jute/jute-reader.ts';

/**
 * What a watch tells. `created`, `deleted`, `changed` and `children` are the server's. `unwatched` is this client's: the server
 * has taken the watch away for another listener of the same path, look again. `lost` is this client's too: the session is over.
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

/** Nothing for what is not about a node. */
export function readWatchEvent(
  reader: JuteReader,
): { readonly type: ServerEventType; readonly path: string } | undefined {
  const type = types[reader.int()];
  reader.int();
  const path = reader.string();
  return type === undefined ? undefined : { type, path };
}
