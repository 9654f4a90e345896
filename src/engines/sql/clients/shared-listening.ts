import type { Clock } from '../../../spi/clock.ts';
import type { SqlSession, SqlUnlisten } from '../sql-client.ts';
import { quotedName } from './quoted-name.ts';

/** How long to wait before a broken connection is opened again: at first, and at most. */
const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 5000;

type Heard = (payload?: string) => void;

/**
 * One connection of a pool that hears the notifications of all channels that anybody listens to here, whichever engine
 * object it is: two of them with one connection each would leave none of a pool of two for anything else. When it breaks
 * it is opened again, and everybody is told that something may have been missed (soundness 16).
 */
export class SharedListening {
  readonly #open: () => Promise<SqlSession>;
  readonly #clock: Clock;
  readonly #channels = new Map<string, Set<Heard>>();
  #session: Promise<SqlSession> | undefined;
  /** Statements follow one another: what is listened to has to be what is in the map when all of them are done. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(open: () => Promise<SqlSession>, clock: Clock) {
    this.#open = open;
    this.#clock = clock;
  }

  async listen(channel: string, heard: Heard): Promise<SqlUnlisten> {
    const all = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, all);
    all.add(heard);
    try {
      await this.#afterLast(() => this.#begin(channel));
    } catch (error) {
      this.#forget(channel, heard);
      throw error;
    }
    return () => {
      if (this.#forget(channel, heard))
        void this.#afterLast(() => this.#stop(channel)).catch(() => undefined);
    };
  }

  /** When all that was asked for so far is done: a connection that nobody needs is back in its pool then. */
  async settled(): Promise<void> {
    await this.#last;
  }

  #afterLast<T>(step: () => Promise<T>): Promise<T> {
    const next = this.#last.then(step, step);
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #begin(channel: string): Promise<void> {
    const session = await this.#connected();
    await session.query(`listen ${quotedName(channel)}`, []);
  }

  /** Nobody listens to this channel any more, unless somebody has come meanwhile. */
  async #stop(channel: string): Promise<void> {
    if (this.#channels.size === 0) return this.#giveBack();
    if (this.#channels.has(channel)) return undefined;
    await (await this.#session)?.query(`unlisten ${quotedName(channel)}`, []);
    return undefined;
  }

  async #giveBack(): Promise<void> {
    const session = await this.#session?.catch(() => undefined);
    this.#session = undefined;
    if (session === undefined) return;
    try {
      await session.query('unlisten *', []);
      await session.end('reuse');
    } catch {
      await session.end('discard');
    }
  }

  /** True if it was the last one of its channel. */
  #forget(channel: string, heard: Heard): boolean {
    const all = this.#channels.get(channel);
    if (all === undefined || !all.delete(heard) || all.size > 0) return false;
    this.#channels.delete(channel);
    return true;
  }

  #connected(): Promise<SqlSession> {
    if (this.#session !== undefined) return this.#session;
    const session = this.#opened();
    this.#session = session;
    session.catch(() => {
      if (this.#session === session) this.#session = undefined;
    });
    return session;
  }

  async #opened(): Promise<SqlSession> {
    const session = await this.#open();
    session.onNotice?.((channel, payload) => this.#tell(channel, payload));
    session.onBroken(() => {
      void session.end('discard');
      this.#session = undefined;
      this.#reopen(FIRST_DELAY_MS);
    });
    return session;
  }

  #reopen(delayMs: number): void {
    if (this.#channels.size === 0) return;
    this.#clock.timer(delayMs, () => {
      if (this.#channels.size === 0) return;
      this.#afterLast(() => this.#again()).catch(() => {
        this.#reopen(Math.min(delayMs * 2, LONGEST_DELAY_MS));
      });
    });
  }

  async #again(): Promise<void> {
    const session = await this.#connected();
    const channels = [...this.#channels.keys()];
    for (const channel of channels) await session.query(`listen ${quotedName(channel)}`, []);
    for (const channel of channels) this.#tell(channel);
  }

  #tell(channel: string, payload?: string): void {
    for (const heard of this.#channels.get(channel) ?? []) heard(payload);
  }
}
