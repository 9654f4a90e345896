import type { DocumentChange, Documents, Found, Sending } from '../../../spi/engine/documents.ts';
import { RefusedError } from '../../../core/failures/refused-error.ts';
import { StoreFullError } from '../../../core/failures/store-full-error.ts';
import type { Unwatch } from '../../../spi/engine/protocol.ts';
import type { OwnerId, Wake } from '../../../spi/rule.ts';
import type { Answered } from '../requests/call.ts';
import { grows } from './cell-growth.ts';
import type { Reply } from '../driver.ts';
import type { RedisContext } from '../redis-context.ts';
import type { ScriptCall } from '../requests/script.ts';
import { cellRead, cellWrite, cellWriteAlways, serverTime } from '../scripts.generated.ts';

/** The content of a message: all waiters, or a list of owners. */
const ALL_WAITERS = '*';
const BETWEEN = ' ';

/** The documents of the synchronizers for which Redisson has no layout: a hash of version and state each. */
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
      // Measures only now: to serialize both states for every change would cost more than the change.
      if (!(error instanceof StoreFullError) || grows(change)) throw error;
      return write(cellWriteAlways);
    });
    const [answer, now, version, document] = answered.reply;
    // The document found instead may be our own, written by an earlier copy whose reply was lost.
    if (answer !== 'written' && version !== change.version) {
      return { now: Number(now), instead: found(now, version, document) };
    }
    if (!scripts.replicas.isConfirmed(answered)) throw this.#notConfirmed(answered, kind, name);
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
      // An empty message reports a gap: the missed message may have named any owner.
      if (message === '' || message === ALL_WAITERS || message.split(BETWEEN).includes(owner)) heard();
    };
    return channels.watch(subscribe, keys.cellChannel(kind, name), callIfMeant, scripts.subject(kind, name));
  }

  /** Sends one copy: the cells repeat unanswered requests themselves. */
  async #read(kind: string, name: string, prepared: ScriptCall): Promise<readonly Reply[]> {
    const { scripts, keys } = this.#parts;
    const call = { kind, name, key: keys.cell(kind, name), ...prepared };
    return (await scripts.sendCopy(call, 'reads')).reply;
  }

  /** A refusal and no silence: the server has answered and the replicas had their time, so the caller learns it at once. */
  #notConfirmed(answered: Answered, kind: string, name: string): RefusedError {
    const { scripts } = this.#parts;
    const subject = scripts.subject(kind, name);
    const { message } = scripts.replicas.errorFor(answered, subject);
    return new RefusedError(message, subject, { retryable: true });
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
  return wake === 'anyone' ? ALL_WAITERS : wake.join(BETWEEN);
}
