import type { Client } from '../../../core/client.ts';
import type { Change, Kind } from '../../../spi/engine/inspector.ts';
import type { Unwatch } from '../../../spi/engine/protocol.ts';
import type { ErrorSubject } from '../../../spi/errors.ts';
import type { MaybeAsync } from '../../../spi/maybe-async.ts';
import type { WatchEvent } from '../client/protocol/watch-event.ts';
import { callListener } from '../client/session/call-listener.ts';
import type { ZooKeeperClient } from '../client/zookeeper-client.ts';
import { linesOfNode } from '../layout/line-of-node.ts';
import type { ZooKeeperLiveness } from '../zookeeper-liveness.ts';

/** Between two attempts to watch again after the session has ended. */
const AGAIN_MS = 500;

/** What a watch of all changes needs. */
export interface ChangeWatchParts {
  readonly client: Client;
  readonly session: { open(): MaybeAsync<void> };
  readonly liveness: ZooKeeperLiveness;
  readonly root: string;
  /** Below our own folder are also nodes that are no synchronizer. */
  readonly kinds: readonly Kind[];
  readonly subject: ErrorSubject;
}

/**
 * One recursive watch over the whole tree below the namespace. Reports only nodes that the layout recognises: the tree of an
 * ensemble that serves other programs too may change all the time.
 */
export class ChangeWatch {
  readonly #parts: ChangeWatchParts;
  readonly #listener: (change: Change) => void;
  readonly #top: string;
  #watched: ZooKeeperClient | undefined;
  #isEnded = false;

  constructor(parts: ChangeWatchParts, listener: (change: Change) => void) {
    this.#parts = parts;
    this.#listener = listener;
    this.#top = parts.root === '' ? '/' : parts.root;
  }

  async begin(): Promise<Unwatch> {
    await this.#watch();
    this.#parts.liveness.whenResumed.add(this.#tellAnything);
    return () => this.#end();
  }

  #end(): void {
    this.#isEnded = true;
    this.#parts.liveness.whenResumed.delete(this.#tellAnything);
    this.#watched?.removeWatch(this.#top, 'recursive', this.#handleEvent).catch(() => undefined);
  }

  async #watch(): Promise<void> {
    const { session, liveness, subject } = this.#parts;
    await session.open();
    const client = liveness.client(subject);
    await client.addWatch(this.#top, 'recursive', this.#handleEvent);
    this.#watched = client;
    // The race: the caller has ended the watch while the request was on its way.
    if (this.#isEnded) this.#end();
  }

  readonly #handleEvent = ({ type, path }: WatchEvent): void => {
    if (this.#isEnded) return;
    if (type !== 'lost' && type !== 'unwatched') return this.#tellOf(path.slice(this.#parts.root.length));
    this.#parts.client.background(this.#watchAgain());
  };

  /** The session has ended, and the watch with it: nothing is reported until the next session watches. */
  async #watchAgain(): Promise<void> {
    const { client } = this.#parts;
    while (!this.#isEnded && !client.closed) {
      try {
        await this.#watch();
        return this.#tellAnything();
      } catch {
        await client.sleep(AGAIN_MS);
      }
    }
  }

  #tellOf(path: string): void {
    for (const { kind: word, name } of linesOfNode(path)) {
      const kind = this.#parts.kinds.find((one) => one === word);
      if (kind !== undefined) callListener(this.#listener, { what: 'name', kind, name });
    }
  }

  readonly #tellAnything = (): void => {
    if (!this.#isEnded) callListener(this.#listener, { what: 'anything' });
  };
}
