import type { Operation } from '../protocol/operation.ts';
import { addWatch, removeWatches, setWatches, watcherType } from '../protocol/session-operations.ts';
import type { ServerEventType, WatchEvent } from '../protocol/watch-event.ts';
import { ZooKeeperError } from '../protocol/zookeeper-error.ts';
import { callListener } from './call-listener.ts';
import type { NodePaths } from './node-paths.ts';
import { type WatchKind, type WatchListener, WatchTable } from './watch-table.ts';

type SendRequest = <T>(operation: Operation<T>, onReply?: (error: Error | undefined) => void) => Promise<T>;

const serverType: Readonly<Record<WatchKind, number>> = {
  data: watcherType.data,
  exists: watcherType.data,
  children: watcherType.children,
  persistent: watcherType.any,
  recursive: watcherType.any,
};

/** The watches of one session: set by replies, fired by events, set again on every new connection. */
export class Watches {
  readonly #table = new WatchTable();
  readonly #paths: NodePaths;
  readonly #request: SendRequest;

  constructor(paths: NodePaths, request: SendRequest) {
    this.#paths = paths;
    this.#request = request;
  }

  /** Returns the handler that registers a one-time watch once its request succeeded. Only `exists` sets one on a missing node. */
  register(
    kind: WatchKind,
    path: string,
    listener: WatchListener | undefined,
  ): ((error: Error | undefined) => void) | undefined {
    if (listener === undefined) return undefined;
    const serverPath = this.#paths.toServer(path);
    return (error) => {
      const isSet = error === undefined || (kind === 'exists' && hasCode(error, 'NO_NODE'));
      if (isSet) this.#table.add(kind, serverPath, listener);
    };
  }

  async add(path: string, kind: 'persistent' | 'recursive', listener: WatchListener): Promise<void> {
    const serverPath = this.#paths.toServer(path);
    await this.#request(addWatch(serverPath, kind), (error) => {
      if (error === undefined) this.#table.add(kind, serverPath, listener);
    });
  }

  /**
   * Removes a listener. The race: another request is setting a watch on the same path, and the server sets it and then removes it
   * together with this one. The other listener is registered when the removal is answered, and would never be called; it gets
   * `unwatched`, and looks again.
   */
  async remove(path: string, kind: WatchKind, listener: WatchListener): Promise<void> {
    const serverPath = this.#paths.toServer(path);
    if (!this.#table.remove(kind, serverPath, listener)) return;
    try {
      await this.#request(removeWatches(serverPath, serverType[kind]), (error) => {
        if (error) return;
        for (const each of this.#table.takeShared(kind, serverPath))
          callListener(each, { type: 'unwatched', path });
      });
    } catch (error) {
      // The watch has fired meanwhile, or ended with its connection, and the next one does not set it again.
      if (!hasCode(error, 'NO_WATCHER') && !hasCode(error, 'CONNECTION_LOSS')) throw error;
    }
  }

  fire(type: ServerEventType, serverPath: string): void {
    const event: WatchEvent = { type, path: this.#paths.fromServer(serverPath) };
    for (const listener of this.#table.takeFired(type, serverPath)) callListener(listener, event);
  }

  requests(sinceZxid: bigint): readonly Operation<void>[] {
    return this.#table.portions().map((paths) => setWatches(sinceZxid, paths));
  }

  /** Calls every listener, because the session has ended: no server will fire its watch. */
  end(): void {
    for (const [listener, path] of this.#table.takeAll())
      callListener(listener, { type: 'lost', path: this.#paths.fromServer(path) });
  }
}

function hasCode(error: unknown, code: ZooKeeperError['code']): boolean {
  return error instanceof ZooKeeperError && error.code === code;
}
