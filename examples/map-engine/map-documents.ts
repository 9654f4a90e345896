import { ForeignStateError } from 'holdfast';
import {
  type DocumentChange,
  type Documents,
  type Found,
  type OwnerId,
  type Sending,
  subjectOf,
  type Unwatch,
  type Wake,
} from 'holdfast/engine';
import { GAP, type MapConnection } from './map-connection.ts';
import type { ServerReply } from './map-server.ts';

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
const ANYONE = 'anyone';

/** The server as the kernels see it: named documents, each replaced by a client that knows its version. */
export class MapDocuments implements Documents {
  readonly confirms = false;
  readonly retentionMs = WEEK_MS;
  readonly #connection: MapConnection;
  readonly #label: string;
  readonly #watching = new Map<string, number>();
  #keptSince = Infinity;

  constructor(connection: MapConnection, label: string) {
    this.#connection = connection;
    this.#label = label;
  }

  async read(kind: string, name: string): Promise<Found> {
    const key = keyOf(kind, name);
    return this.#found(kind, name, await this.#connection.ask((server) => server.read(key)));
  }

  async write(
    change: DocumentChange,
    sending?: Sending,
  ): Promise<{ readonly now: number; readonly instead?: Found }> {
    const { kind, name, expected, version, notBefore, notAfter, ttlMs } = change;
    const request = {
      key: keyOf(kind, name),
      expected,
      version,
      text: JSON.stringify(change.state),
      notBefore,
      notAfter,
      ttlMs,
      message: messageFor(change.wake),
    };
    sending?.leaves();
    const reply = await this.#connection.ask((server) => server.compareAndSet(request));
    const found = this.#found(kind, name, reply);
    // Our own version is there if an earlier copy of this request was carried out and its reply was lost.
    if (reply.isWritten || found.version === version) return { now: reply.now };
    return { now: reply.now, instead: found };
  }

  async time(kind: string, name: string): Promise<number> {
    return (await this.read(kind, name)).now;
  }

  /** One server, one clock. */
  clockOf(): string {
    return '';
  }

  readonly keptSince = (): number => this.#keptSince;

  async watch(kind: string, name: string, owner: OwnerId, heard: () => void): Promise<Unwatch> {
    const key = keyOf(kind, name);
    const unwatch = await this.#connection.watch(key, (message) => {
      if (message === GAP || message === ANYONE || message.split(' ').includes(owner)) heard();
    });
    this.#count(key, 1);
    let isWatching = true;
    return () => {
      if (isWatching) this.#count(key, -1);
      isWatching = false;
      unwatch();
    };
  }

  /** How many of this client watch a name. */
  watching(kind: string, name: string): number {
    return this.#watching.get(keyOf(kind, name)) ?? 0;
  }

  #count(key: string, more: number): void {
    const count = (this.#watching.get(key) ?? 0) + more;
    if (count === 0) this.#watching.delete(key);
    else this.#watching.set(key, count);
  }

  #found(kind: string, name: string, { now, keptSince, found }: ServerReply): Found {
    this.#keptSince = keptSince;
    if (found === undefined) return { now, version: undefined, state: undefined };
    try {
      return { now, version: found.version, state: JSON.parse(found.text) };
    } catch {
      const subject = subjectOf(kind, name, this.#label);
      throw new ForeignStateError(`${subject.resource}: the record holds something else.`, subject);
    }
  }
}

/** A kind has no colon in it, so two kinds never share a key. */
export function keyOf(kind: string, name: string): string {
  return `${kind}:${name}`;
}

function messageFor(wake: Wake): string | undefined {
  if (wake === 'none') return undefined;
  return wake === 'anyone' ? ANYONE : wake.join(' ');
}
