import type { Client } from '../../../core/client.ts';
import type { Change, Kind } from '../../../spi/engine/inspector.ts';
import type { Unwatch } from '../../../spi/engine/protocol.ts';
import type { ErrorSubject } from '../../../spi/errors.ts';
import type { MaybeAsync } from '../../../spi/maybe-async.ts';
import type { Event } from '../client/messages/etcd-messages.generated.ts';
import type { EtcdWatch } from '../client/session/watch-hub.ts';
import type { EtcdLiveness } from '../etcd-liveness.ts';
import { explainEtcdError } from '../explain-etcd-error.ts';
import { endOfPrefix } from '../layout/etcd-keys.ts';
import { lineOfKey } from '../layout/line-of-key.ts';

/** Between two attempts to watch again after the session has ended. */
const AGAIN_MS = 500;

/** What a watch of all changes needs. */
export interface KeyWatchParts {
  readonly client: Client;
  readonly session: { open(): MaybeAsync<void> };
  readonly liveness: EtcdLiveness;
  readonly root: string;
  /** Below our own prefix are also keys that are no synchronizer. */
  readonly kinds: readonly Kind[];
  readonly subject: ErrorSubject;
}

/**
 * One watch over all keys. Reports only those that the layout recognises: other programs may change theirs all the time. Goes on over
 * connections by itself, and over sessions by a watch of the next one.
 */
export class KeyWatch {
  readonly #parts: KeyWatchParts;
  readonly #listener: (change: Change) => void;
  #watch: EtcdWatch | undefined;
  #isEnded = false;

  constructor(parts: KeyWatchParts, listener: (change: Change) => void) {
    this.#parts = parts;
    this.#listener = listener;
  }

  async begin(): Promise<Unwatch> {
    try {
      await this.#begin();
    } catch (error) {
      throw explainEtcdError(error, this.#parts.subject);
    }
    return () => {
      this.#isEnded = true;
      this.#watch?.end();
    };
  }

  async #begin(): Promise<void> {
    const { client, session, liveness, root, subject } = this.#parts;
    await session.open();
    const key = Buffer.from(`${root}/`);
    let isReady = false;
    const watch = liveness.client(subject).watch({
      key,
      rangeEnd: endOfPrefix(key),
      onEvents: (events) => this.#tellOf(events),
      onGap: () => this.#tell({ what: 'anything' }),
      // The session has ended: nothing is reported until the next one watches. Before it was ready, its caller hears of it.
      onOver: () => {
        if (isReady) client.background(this.#beginAgain());
      },
    });
    this.#watch = watch;
    await watch.ready;
    isReady = true;
    // The race: the caller has ended the watch while the request was on its way.
    if (this.#isEnded) watch.end();
  }

  async #beginAgain(): Promise<void> {
    const { client } = this.#parts;
    while (!this.#isEnded && !client.closed) {
      try {
        await this.#begin();
        return this.#tell({ what: 'anything' });
      } catch {
        await client.sleep(AGAIN_MS);
      }
    }
  }

  #tellOf(events: readonly Event[]): void {
    for (const { kv } of events) {
      if (kv === undefined) continue;
      const key = Buffer.from(kv.key).toString().slice(this.#parts.root.length);
      const line = lineOfKey(key, kv.value);
      if (line === undefined) continue;
      const { name } = line;
      // A key that has gone says nothing but its name: of a lock and an election there, either may be meant.
      const isPlain = name.startsWith('/') && (line.kind === 'lock' || line.kind === 'election');
      for (const kind of isPlain ? (['lock', 'election'] as const) : this.#parts.kinds)
        if (isPlain || kind === line.kind) this.#tell({ what: 'name', kind, name });
    }
  }

  #tell(change: Change): void {
    if (this.#isEnded) return;
    // An error of the listener must neither end the stream nor keep other watches from their call.
    try {
      this.#listener(change);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
