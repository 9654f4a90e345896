import type { Draft } from '../transport/message-type.ts';
import {
  etcdCalls,
  type Event,
  type WatchRequest,
  type WatchResponse,
} from '../messages/etcd-messages.generated.ts';
import { EtcdError } from '../transport/etcd-error.ts';
import type { CallMetadata, GrpcConnection, GrpcStream } from '../transport/grpc-connection.ts';

/** What to watch. */
export interface EtcdWatchPlan {
  readonly key: Buffer;
  /** For a range: the first key behind it. */
  readonly rangeEnd?: Buffer;
  /** The first revision whose changes are heard. From now on where it is missing. */
  readonly from?: bigint;
  /** Kinds of changes that the server keeps to itself. */
  readonly filters?: readonly number[];
  readonly onEvents: (events: readonly Event[]) => void;
  /** Changes may have been missed: the store has forgotten those that the watch had not yet heard of. */
  readonly onGap: () => void;
  /** Nothing is heard any more: the server refuses the watch, or the client was closed. */
  readonly onOver?: (error: EtcdError) => void;
}

/** A watch that goes on over connections, until it is ended. */
export interface EtcdWatch {
  /** Resolves when the server watches, to the revision behind which nothing is missed. */
  readonly ready: Promise<bigint>;
  end(): void;
}

interface EtcdWatcher {
  readonly plan: EtcdWatchPlan;
  /** Its number at the server. Another one each time that it is created: the server may not have forgotten the one before. */
  id: bigint;
  next: bigint | undefined;
  /** The server did not permit it, and may only have forgotten the token of the stream. */
  isDoubtful: boolean;
  readonly settle: (outcome: bigint | EtcdError) => void;
}

/** What a hub asks of its client. */
export interface WatchHubPlan {
  /** The stream of a connection has ended, or a watch on it was refused for its token. */
  readonly onTrouble: (connection: GrpcConnection, error: EtcdError) => void;
}

/** Without it a member that is cut off from its leader keeps the stream, and says nothing on it. */
const WITH_LEADER: CallMetadata = { hasleader: 'true' };

/** All watches of a client, on one stream of each connection. */
export class WatchHub {
  readonly #plan: WatchHubPlan;
  readonly #watchers = new Map<bigint, EtcdWatcher>();
  /** Numbers of watches that the server has not answered yet, in the order in which they were asked for: it answers in that order. */
  #asked: bigint[] = [];
  #lastId = 0n;
  #connection: GrpcConnection | undefined;
  #metadata: CallMetadata = {};
  #stream: GrpcStream<WatchRequest> | undefined;

  constructor(plan: WatchHubPlan) {
    this.#plan = plan;
  }

  /** Goes on over this connection, each watch behind the last change that it has heard of. */
  attach(connection: GrpcConnection, metadata: CallMetadata): void {
    this.detach();
    this.#connection = connection;
    this.#metadata = { ...metadata, ...WITH_LEADER };
    // Of a copy: each one is given another number, and so another place in the map.
    const watchers = [...this.#watchers.values()];
    for (const watcher of watchers) this.#create(watcher);
  }

  detach(): void {
    this.#stream?.cancel();
    this.#stream = undefined;
    this.#connection = undefined;
    this.#asked = [];
  }

  watch(plan: EtcdWatchPlan): EtcdWatch {
    const { promise, resolve, reject } = withSettlers();
    const watcher: EtcdWatcher = {
      plan,
      id: 0n,
      next: plan.from,
      isDoubtful: false,
      settle: (outcome) => (outcome instanceof EtcdError ? reject(outcome) : resolve(outcome)),
    };
    this.#create(watcher);
    return { ready: promise, end: () => this.#drop(watcher) };
  }

  close(error: EtcdError): void {
    this.detach();
    const watchers = [...this.#watchers.values()];
    this.#watchers.clear();
    for (const { settle, plan } of watchers) {
      settle(error);
      plan.onOver?.(error);
    }
  }

  #create(watcher: EtcdWatcher): void {
    const { plan, next } = watcher;
    const { key, rangeEnd, filters } = plan;
    this.#watchers.delete(watcher.id);
    const id = ++this.#lastId;
    watcher.id = id;
    this.#watchers.set(id, watcher);
    this.#asked.push(id);
    this.#send({
      createRequest: {
        key,
        watchId: id,
        ...(rangeEnd && { rangeEnd }),
        ...(filters && { filters }),
        ...(next !== undefined && { startRevision: next }),
      },
    });
  }

  #drop(watcher: EtcdWatcher): void {
    const { id } = watcher;
    if (!this.#watchers.delete(id)) return;
    watcher.settle(new EtcdError('CANCELLED', 'the watch was ended'));
    if (this.#stream !== undefined) this.#send({ cancelRequest: { watchId: id } });
  }

  /** The stream begins with the first watch. Without a connection nothing is sent: {@link attach} sends it all. */
  #send(request: Draft<WatchRequest>): void {
    const connection = this.#connection;
    if (connection === undefined) return void (this.#asked = []);
    try {
      this.#stream ??= connection.open(etcdCalls.watch, this.#metadata, {
        onMessage: (response) => this.#hear(response),
        onEnd: (error) => this.#endStream(connection, error),
      });
      this.#stream.send(request);
    } catch (error) {
      // The connection has ended in this moment: the next one brings the watch with it.
      if (!(error instanceof EtcdError)) throw error;
    }
  }

  #endStream(connection: GrpcConnection, error: EtcdError): void {
    this.#stream = undefined;
    this.#plan.onTrouble(connection, error);
  }

  #hear(response: WatchResponse): void {
    const { watchId, header, created, canceled, compactRevision, cancelReason, events } = response;
    // A watch that is refused has no number yet.
    const asked = created ? this.#asked.shift() : undefined;
    const watcher = this.#watchers.get(asked ?? watchId);
    if (watcher === undefined) return;
    if (canceled) return this.#hearCanceled(watcher, compactRevision, cancelReason);
    const revision = header?.revision ?? 0n;
    if (created) {
      watcher.next ??= revision + 1n;
      watcher.isDoubtful = false;
      return watcher.settle(watcher.next - 1n);
    }
    const last = events.at(-1)?.kv?.modRevision;
    // A heartbeat of the watch: all that it is about has been heard up to there.
    watcher.next = (last ?? revision) + 1n;
    if (events.length > 0) watcher.plan.onEvents(events);
  }

  /** The history that the watch was to begin in is gone, or the server does not let the client watch. */
  #hearCanceled(watcher: EtcdWatcher, compactRevision: bigint, reason: string): void {
    if (compactRevision > 0n) {
      watcher.next = compactRevision;
      this.#create(watcher);
      return watcher.plan.onGap();
    }
    // Older servers say the same of a user without the right and of a token that they have forgotten; so ask once more with another.
    const isDenied = reason.includes('permission denied');
    if (isDenied && watcher.isDoubtful) {
      const error = new EtcdError('PERMISSION_DENIED', reason);
      this.#watchers.delete(watcher.id);
      watcher.settle(error);
      return watcher.plan.onOver?.(error);
    }
    watcher.isDoubtful = isDenied;
    const what = reason === '' ? 'the server has ended a watch' : reason;
    const isOfToken = isDenied || reason.includes('invalid auth token');
    const error = new EtcdError(isOfToken ? 'UNAUTHENTICATED' : 'UNAVAILABLE', what);
    if (this.#connection !== undefined) this.#plan.onTrouble(this.#connection, error);
  }
}

function withSettlers() {
  let resolve!: (revision: bigint) => void;
  let reject!: (error: EtcdError) => void;
  const promise = new Promise<bigint>((one, other) => {
    resolve = one;
    reject = other;
  });
  // A caller that knows from which revision on it watches need not wait for the server to say so.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
