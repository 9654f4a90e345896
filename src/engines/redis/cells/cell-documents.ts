import type { DocumentChange, Documents, Found, Sending } from '../../../spi/engine/documents.ts';
import { RefusedError } from '../../../core/acquire/refused-error.ts';
import { StoreFullError } from '../../../core/acquire/store-full-error.ts';
import type { Unwatch } from '../../../spi/engine/protocol.ts';
import type { OwnerId, Wake } from '../../../spi/rule.ts';
import type { Answered } from '../requests/call.ts';
import { grows } from './cell-growth.ts';
import type { Reply } from '../driver.ts';
import type { RedisContext } from '../redis-context.ts';
import type { ScriptCall } from '../requests/script.ts';
import { cellRead, cellWrite, cellWriteAlways, serverTime } from '../scripts.generated.ts';

/** What a message says: everybody, or these owners. */
const EVERYBODY = '*';
const BETWEEN = ' ';

/** The documents of the synchronizers that Redisson has no layout for: a hash of version and state for each. */
export class CellDocuments implements Documents {
  readonly retentionMs: number;
  readonly confirms: boolean;
  readonly #parts: RedisContext;

  constructor(parts: RedisContext, confirms: boolean) {
    this.#parts = parts;
    this.confirms = confirms;
    this.retentionMs = parts.fenceRetentionMs === 0 ? Infinity : parts.fenceRetentionMs;
  }

  async read(kind: string, name: string): Promise<Found> {
    const cell = this.#parts.keys.cell(kind, name);
    const [now, version, document] = await this.#read(kind, name, cellRead({ cell }));
    return found(now, version, document);
  }

  async write(
    change: DocumentChange,
    sending?: Sending,
  ): Promise<{ readonly now: number; readonly instead?: Found }> {
    const { scripts, keys, pubSub } = this.#parts;
    const { kind, name, ttlMs } = change;
    const { publish } = await pubSub.get(() => scripts.subject(kind, name));
    const cell = keys.cell(kind, name);
    const replacement = {
      expected: change.expected ?? '',
      version: change.version,
      document: JSON.stringify(change.state),
      notBeforeMs: change.notBefore,
      notAfterMs: change.notAfter,
      ttlMs: Number.isFinite(ttlMs) ? Math.ceil(ttlMs) : 0,
      publish,
      channel: keys.cellChannel(kind, name),
      message: messageFor(change.wake),
    };
    const write = (script: typeof cellWrite) =>
      scripts.sendCopy({ kind, name, key: cell, ...script({ cell }, replacement) }, 'limited', sending);
    const answered = await write(cellWrite).catch((error: unknown) => {
      // Only now is it worth the measuring: both states as text, for every change, would cost more than the change.
      if (!(error instanceof StoreFullError) || grows(change)) throw error;
      return write(cellWriteAlways);
    });
    const [answer, now, version, document] = answered.reply;
    // What is there instead may be our own: written by an earlier copy whose answer was lost.
    if (answer !== 'written' && version !== change.version) {
      return { now: Number(now), instead: found(now, version, document) };
    }
    if (!scripts.isConfirmed(answered)) throw this.#notConfirmed(answered, kind, name);
    return { now: Number(now) };
  }

  async time(kind: string, name: string): Promise<number> {
    const [now] = await this.#read(kind, name, serverTime({ key: this.#parts.keys.cell(kind, name) }));
    return Number(now);
  }

  suspect(kind: string, name: string): void {
    this.#parts.scripts.suspect(this.#parts.keys.cell(kind, name));
  }

  clockOf(kind: string, name: string): string {
    return this.#parts.scripts.driver.nodeOf(this.#parts.keys.cell(kind, name));
  }

  async watch(kind: string, name: string, owner: OwnerId, heard: () => void): Promise<Unwatch> {
    const { scripts, channels, keys, pubSub } = this.#parts;
    const { subscribe } = await pubSub.get(() => scripts.subject(kind, name));
    const callIfMeant = (message: string): void => {
      // Without words after a gap: anybody may have been meant.
      if (message === '' || message === EVERYBODY || message.split(BETWEEN).includes(owner)) heard();
    };
    return channels.watch(subscribe, keys.cellChannel(kind, name), callIfMeant, scripts.subject(kind, name));
  }

  /** One copy: the cells repeat what is not answered. */
  async #read(kind: string, name: string, prepared: ScriptCall): Promise<readonly Reply[]> {
    const { scripts, keys } = this.#parts;
    const call = { kind, name, key: keys.cell(kind, name), ...prepared };
    return (await scripts.sendCopy(call, 'reads')).reply;
  }

  /** The server has answered, and the replicas have had their time: as with a lock, it is told at once and as it is. */
  #notConfirmed(answered: Answered, kind: string, name: string): RefusedError {
    const { scripts } = this.#parts;
    const { message } = scripts.notConfirmed(answered, kind, name);
    return new RefusedError(message, scripts.subject(kind, name), { retryable: true });
  }
}

function found(now: Reply | undefined, version: Reply | undefined, document: Reply | undefined): Found {
  return {
    now: Number(now),
    version: version === '' ? undefined : String(version),
    state: version === '' ? undefined : JSON.parse(String(document)),
  };
}

function messageFor(wake: Wake): string {
  if (wake === 'none') return '';
  return wake === 'anyone' ? EVERYBODY : wake.join(BETWEEN);
}
