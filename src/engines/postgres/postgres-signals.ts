import { type Client, inTime } from '../../kernels/surroundings.ts';
import type { Timer } from '../../spi/clock.ts';
import { EngineError } from '../../spi/errors.ts';
import type { Unwatch } from '../../spi/protocol.ts';
import type { Liveness, OwnerId } from '../../spi/rule.ts';
import { RowWatch } from '../sql/row-watch.ts';
import { nobodyIsDead, type Signals } from '../sql/signals.ts';
import type { SqlUnlisten } from '../sql/sql-client.ts';
import type { Statements } from '../sql/statements.ts';

/** How often the rows are looked at by those who wait: seldom while notifications arrive, else often and not in step. */
const SLOW_LOOK_MS = 5000;
const FAST_LOOK_MS = 60;
/** A notification to ourselves has so much time to arrive. */
const ECHO_MS = 2000;
/** What a message of this kind begins with; no kind of synchronizer does. */
const ECHO = '!';
/** So long it is listened on when nobody waits any more: the next one may come at once. */
const LINGER_MS = 10_000;
/** After a failure it is looked at rows for so long before listening is tried again. */
const AGAIN_MS = 10_000;

const DEAF = 'HOLDFAST_NO_NOTIFICATIONS';

type Told = (changed: { readonly kind: string; readonly name: string } | undefined) => void;

/**
 * Hears of changes by LISTEN, on one connection for all names, for as long as somebody waits. Whether notifications
 * arrive is tried out: behind a pooler that gives every transaction another connection LISTEN succeeds and nothing is
 * ever heard. Then, and where the client cannot listen, the rows are looked at.
 */
export class PostgresSignals implements Signals {
  readonly #statements: Statements;
  readonly #channel: string;
  readonly #rows: RowWatch;
  readonly #changes = new Set<Told>();
  readonly #echoes = new Map<string, () => void>();
  #waiters = 0;
  #listening: Promise<SqlUnlisten | undefined> | undefined;
  #hears = false;
  #isDeaf = false;
  #triedAt = -Infinity;
  #lingering: Timer | undefined;

  constructor(statements: Statements, channel: string) {
    this.#statements = statements;
    this.#channel = channel;
    const { random } = statements.client;
    this.#rows = new RowWatch({
      statements,
      untilNextLookMs: () => (this.#hears ? SLOW_LOOK_MS : FAST_LOOK_MS) * (0.5 + random.fraction()),
    });
  }

  async watch(kind: string, name: string, owner: OwnerId, heard: () => void): Promise<Unwatch> {
    this.#waiters++;
    this.#lingering?.cancel();
    let over = false;
    const leave = (): void => {
      if (over) return;
      over = true;
      if (--this.#waiters === 0) this.#linger();
    };
    try {
      await this.#listen();
      const unwatch = await this.#rows.watch(kind, name, owner, heard);
      return () => {
        unwatch();
        leave();
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  dead(): Liveness {
    return nobodyIsDead;
  }

  async changes(told: Told): Promise<Unwatch> {
    this.#changes.add(told);
    this.#waiters++;
    this.#lingering?.cancel();
    await this.#listen();
    return () => {
      if (!this.#changes.delete(told)) return;
      if (--this.#waiters === 0) this.#linger();
    };
  }

  close(): void {
    this.#lingering?.cancel();
    this.#stop();
  }

  #listen(): Promise<unknown> | undefined {
    const { clock } = this.#statements.client;
    if (this.#isDeaf || this.#statements.sql.listen === undefined) return undefined;
    if (this.#listening === undefined && clock.now() - this.#triedAt < AGAIN_MS) return undefined;
    this.#listening ??= this.#begin();
    return this.#listening;
  }

  /** Undefined if it cannot be done: those who wait look at the rows. */
  async #begin(): Promise<SqlUnlisten | undefined> {
    const { client, sql } = this.#statements;
    this.#triedAt = client.clock.now();
    try {
      const unlisten = await sql.listen!(this.#channel, (payload) => this.#heard(payload));
      this.#hears = await this.#hearsItself();
      if (this.#hears) return unlisten;
      unlisten();
      this.#isDeaf = true;
      this.#tellDeaf();
    } catch (error) {
      client.events.trouble.emit({ kind: 'listen', name: this.#channel, engine: client.label, error });
    }
    this.#listening = undefined;
    return undefined;
  }

  async #hearsItself(): Promise<boolean> {
    const { client, sql } = this.#statements;
    const token = `${ECHO}${client.random.id()}`;
    const echo = new Promise<void>((resolve) => {
      this.#echoes.set(token, resolve);
    });
    try {
      await sql.query('select pg_notify($1, $2)', [this.#channel, token]);
      await inTime(client.clock, echo, ECHO_MS);
      return true;
    } catch (error) {
      if (error instanceof Error && error.name === 'NoAnswerError') return false;
      throw error;
    } finally {
      this.#echoes.delete(token);
    }
  }

  #heard(payload: string | undefined): void {
    if (payload === undefined) {
      this.#rows.everybody();
      for (const told of this.#changes) told(undefined);
      return;
    }
    if (payload.startsWith(ECHO)) {
      this.#echoes.get(payload)?.();
      return;
    }
    // A kind has no blank and whom it lets in no line break; a name may have both.
    const [blank, line] = [payload.indexOf(' '), payload.lastIndexOf('\n')];
    const [kind, name] = [payload.slice(0, blank), payload.slice(blank + 1, line)];
    this.#rows.tell(kind, name, payload.slice(line + 1));
    for (const told of this.#changes) told({ kind, name });
  }

  #linger(): void {
    this.#lingering?.cancel();
    this.#lingering = this.#statements.client.clock.timer(LINGER_MS, () => this.#stop());
  }

  #stop(): void {
    const listening = this.#listening;
    this.#listening = undefined;
    this.#hears = false;
    void listening?.then((unlisten) => unlisten?.());
  }

  #tellDeaf(): void {
    const { client } = this.#statements;
    const text =
      'PostgreSQL: notifications do not arrive, probably because of a pooler between us and the server (PgBouncer with pool_mode = transaction). Those who wait look at the rows from time to time instead; give a pool of direct connections if they are to be told at once.';
    process.emitWarning(text, { type: 'HoldfastWarning', code: DEAF });
    warnOf(client, text);
  }
}

function warnOf({ events, label }: Client, text: string): void {
  if (!events.trouble.wanted) return;
  const error = new EngineError(text, { resource: 'listen', engine: label }, { retryable: false });
  events.trouble.emit({ kind: 'listen', name: '', engine: label, error });
}
