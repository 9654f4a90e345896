import { inTime } from '../../../../core/async/in-time.ts';
import type { Clock, Timer } from '../../../../spi/clock.ts';
import { sessionInTime } from '../../session-in-time.ts';
import type { SqlSession, SqlUnlisten } from '../../sql-client.ts';
import { quotedName } from '../../dialects/quoted-name.ts';

/** How long to wait before a broken connection is opened again: at first, and at most. */
const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 5000;
/** How long the server may take to answer: later statements wait behind this one, and `close` waits for all of them. */
const PATIENCE_MS = 2000;

type Heard = (payload?: string) => void;

/**
 * One connection of a pool that receives the notifications of all channels, for all engine objects over that pool: two
 * engine objects with a connection each would leave nothing of a pool of two. When the connection breaks it is opened
 * again, and every listener hears that it may have missed something (soundness 16).
 */
export class SharedListening {
  readonly #open: () => Promise<SqlSession>;
  readonly #clock: Clock;
  readonly #channels = new Map<string, Set<Heard>>();
  #session: Promise<SqlSession> | undefined;
  /** The open connection, until it breaks. */
  #current: SqlSession | undefined;
  #reopening: Timer | undefined;
  /** Statements run one after another, so that in the end the server listens to exactly the channels in the map. */
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
      await this.#runInTurn(() => this.#begin(channel));
    } catch (error) {
      this.#forget(channel, heard);
      throw error;
    }
    return () => {
      if (this.#forget(channel, heard))
        void this.#runInTurn(() => this.#stop(channel)).catch(() => undefined);
    };
  }

  /** Waits for all that was asked for so far: an unneeded connection is back in its pool then. */
  async settle(): Promise<void> {
    await this.#last;
  }

  #runInTurn<T>(step: () => Promise<T>): Promise<T> {
    const next = this.#last.then(step, step);
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #begin(channel: string): Promise<void> {
    await this.#send(await this.#connect(), `listen ${quotedName(channel)}`);
  }

  /** Stops listening to a channel that has no listener left, unless one has been added meanwhile. */
  async #stop(channel: string): Promise<void> {
    if (this.#channels.size === 0) return this.#giveBack();
    if (this.#channels.has(channel)) return undefined;
    const session = await this.#session;
    if (session !== undefined) await this.#send(session, `unlisten ${quotedName(channel)}`);
    return undefined;
  }

  /** A connection that does not answer counts as broken, whatever the network says. */
  async #send(session: SqlSession, text: string): Promise<void> {
    try {
      await inTime(this.#clock, session.query(text, []), PATIENCE_MS);
    } catch (error) {
      this.#drop(session);
      throw error;
    }
  }

  #drop(session: SqlSession): void {
    void session.end('discard');
    if (this.#current !== session) return;
    this.#current = undefined;
    this.#session = undefined;
    this.#reopen(FIRST_DELAY_MS);
  }

  async #giveBack(): Promise<void> {
    const session = await this.#session?.catch(() => undefined);
    if (session === undefined) return;
    await this.#send(session, 'unlisten *');
    this.#session = undefined;
    this.#current = undefined;
    await session.end('reuse');
  }

  /** True if it was the last listener of its channel. */
  #forget(channel: string, heard: Heard): boolean {
    const all = this.#channels.get(channel);
    if (all === undefined || !all.delete(heard) || all.size > 0) return false;
    this.#channels.delete(channel);
    return true;
  }

  #connect(): Promise<SqlSession> {
    if (this.#session !== undefined) return this.#session;
    const session = this.#openSession();
    this.#session = session;
    session.catch(() => {
      if (this.#session === session) this.#session = undefined;
    });
    return session;
  }

  async #openSession(): Promise<SqlSession> {
    // Limits the wait, so that closing does not wait for a server that is away.
    const session = await sessionInTime(this.#clock, this.#open(), PATIENCE_MS);
    session.onNotice?.((channel, payload) => this.#tell(channel, payload));
    session.onBroken(() => this.#drop(session));
    this.#current = session;
    return session;
  }

  #reopen(delayMs: number): void {
    this.#reopening?.cancel();
    if (this.#channels.size === 0) return;
    this.#reopening = this.#clock.timer(delayMs, () => {
      if (this.#channels.size === 0) return;
      this.#runInTurn(() => this.#listenAgain()).catch(() => {
        this.#reopen(Math.min(delayMs * 2, LONGEST_DELAY_MS));
      });
    });
  }

  async #listenAgain(): Promise<void> {
    const session = await this.#connect();
    const channels = [...this.#channels.keys()];
    for (const channel of channels) await this.#send(session, `listen ${quotedName(channel)}`);
    for (const channel of channels) this.#tell(channel);
  }

  #tell(channel: string, payload?: string): void {
    for (const heard of this.#channels.get(channel) ?? []) heard(payload);
  }
}
