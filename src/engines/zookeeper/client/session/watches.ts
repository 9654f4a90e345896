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

  /** What to do with the outcome of a request that set a one-time watch. Only an `exists` leaves one on a missing node. */
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
   * The race with a request that is setting a watch on the same path: the server sets it and then removes it, together with the
   * one that was meant. Its listener is registered by the time the removal is answered, and would never be called; it is told
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
      // Fired meanwhile; or gone with its connection, and the next one is not asked for it.
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

  /** The session is over: no server will fire any of them. */
  end(): void {
    for (const [listener, path] of this.#table.takeAll())
      callListener(listener, { type: 'lost', path: this.#paths.fromServer(path) });
  }
}

function hasCode(error: unknown, code: ZooKeeperError['code']): boolean {
  return error instanceof ZooKeeperError && error.code === code;
}
