import { subjectOf } from '../../../core/arguments.ts';
import type { DocumentChange, DocumentDecision, Documents, Found } from '../../../spi/engine/documents.ts';
import type { Sending } from '../../../spi/engine/documents.ts';
import type { ErrorSubject } from '../../../spi/errors.ts';
import { type MaybeAsync, isPending } from '../../../spi/maybe-async.ts';
import type { Unwatch } from '../../../spi/engine/protocol.ts';
import type { DeadOwners, OwnerId } from '../../../spi/rule.ts';
import type { CleanUp } from './clean-up.ts';
import type { RowChange, Statement } from '../dialects/dialect.ts';
import type { Schema } from './schema.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { SqlResult, SqlSession, SqlValue } from '../sql-client.ts';
import { uncommitted } from '../sql-errors.ts';
import type { Statements } from './statements.ts';
import { wakeMessage } from './wake-message.ts';

export interface CellRowsOptions {
  readonly statements: Statements;
  readonly schema: Schema;
  readonly feed: ChangeFeed;
  readonly cleanUp: CleanUp;
  readonly retentionMs: number;
}

/** The documents of all synchronizers: one row each, replaced by one statement that compares version and time. */
export class CellRows implements Documents {
  readonly confirms = false;
  readonly guesses = true;
  readonly retentionMs: number;
  readonly #options: CellRowsOptions;

  constructor(options: CellRowsOptions) {
    this.#options = options;
    this.retentionMs = options.retentionMs;
  }

  get atOnce(): number | undefined {
    return this.#options.statements.sql.atOnce;
  }

  async read(kind: string, name: string): Promise<Found> {
    const { statements } = this.#options;
    const subject = this.#subject(kind, name);
    const { rows } = await this.#run(subject, statements.dialect.read(kind, name));
    return committedIn(rows[0], subject);
  }

  async write(
    change: DocumentChange,
    sending?: Sending,
  ): Promise<{ readonly now: number; readonly instead?: Found }> {
    const { statements, cleanUp } = this.#options;
    const row = this.#rowOf(change);
    const { kind, name } = change;
    const result = await this.#run(this.#subject(kind, name), statements.dialect.write(row), sending);
    const outcome = this.#outcomeOf(row, result);
    if (outcome === undefined) {
      const instead = await this.read(kind, name);
      // The document in the row may be our own, written by a copy whose answer was lost.
      return instead.version === change.version ? { now: instead.now } : { now: instead.now, instead };
    }
    cleanUp.runIfDue(outcome.now);
    return outcome;
  }

  async time(kind: string, name: string): Promise<number> {
    const { statements } = this.#options;
    const { rows } = await this.#run(this.#subject(kind, name), statements.dialect.time);
    return Number(rows[0]?.[0]);
  }

  /** Lists the names after this one, in the order of kind and name. */
  async list(
    after: { readonly kind: string; readonly name: string },
    prefix: string,
    most: number,
  ): Promise<readonly { readonly kind: string; readonly name: string }[]> {
    const { statements } = this.#options;
    const subject = { resource: 'inspector', engine: statements.client.label };
    const { rows } = await this.#run(subject, statements.dialect.list(after, prefix, most));
    return rows.map(([kind, name]) => ({ kind: String(kind), name: String(name) }));
  }

  /** One database, one clock. */
  clockOf(): string {
    return '';
  }

  async watch(kind: string, name: string, owner: OwnerId, heard: () => void): Promise<Unwatch> {
    await this.#options.schema.prepare(this.#subject(kind, name));
    return this.#options.feed.watch(kind, name, owner, heard);
  }

  get news(): Documents['news'] {
    const { feed } = this.#options;
    return feed.news === undefined ? undefined : (heard) => feed.news!(heard);
  }

  readonly seen = (kind: string, name: string): string | undefined => this.#options.feed.seen(kind, name);

  readonly dead = (kind: string, name: string): DeadOwners => this.#options.feed.dead(kind, name);

  readonly keptSince = (): number => this.#options.schema.createdAt;

  /** Undefined where the client lends no connection: then the comparison of versions alone decides. */
  get exclusively(): Documents['exclusively'] {
    const { statements } = this.#options;
    if (statements.sql.openSession === undefined) return undefined;
    return (kind, name, decide, sending) => {
      const subject = this.#subject(kind, name);
      return statements.runTogether(subject, async () =>
        this.#decideAlone(await statements.openSession(), kind, name, decide, sending),
      );
    };
  }

  async #decideAlone<T>(
    session: SqlSession,
    kind: string,
    name: string,
    decide: (found: Found) => DocumentDecision<T>,
    sending: Sending | undefined,
  ): Promise<T> {
    const { statements } = this.#options;
    const { dialect } = statements;
    // Closes a connection that does not answer: otherwise its row lock would stay, and the pool would lose a connection.
    const run = ({ text, values }: Statement): Promise<SqlResult> =>
      statements.inTime(session.query(text, values));
    let how: 'reuse' | 'discard' = 'discard';
    try {
      await run({ text: dialect.begin, values: [] });
      const { rows } = await run(dialect.lock(kind, name));
      const found = committedIn(rows[0], this.#subject(kind, name));
      const { change, answer } = decide(found);
      let now = found.now;
      if (change !== undefined) {
        const row = this.#rowOf(change);
        const outcome = this.#outcomeOf(row, await run(dialect.write(row)));
        if (outcome === undefined || outcome.instead !== undefined)
          throw new Error(`${kind} ${JSON.stringify(name)} has changed under its lock`);
        now = outcome.now;
      }
      // Until here the database rolls back when the connection ends.
      if (change !== undefined) sending?.leaves();
      await run({ text: dialect.commit, values: [] });
      how = 'reuse';
      return answer(now);
    } finally {
      await session.end(how);
    }
  }

  /** Undefined if the change was not made, and the caller has to read the row. */
  #outcomeOf(
    change: RowChange,
    { rows, changed, insertId }: SqlResult,
  ): { readonly now: number; readonly instead?: Found } | undefined {
    const { written } = this.#options.statements.dialect;
    const row = written === undefined ? rows[0] : written(change, changed, Number(insertId));
    if (row === undefined) return undefined;
    const [done, ...there] = row;
    const found = { now: Number(there[0]) };
    if (Number(done) === 1) return found;
    const instead = foundIn(there);
    const inTime = instead.now >= change.notBefore && instead.now < change.notAfter;
    // In time, and on the current version: the statement lost against a concurrent change, and reported the row from before it.
    if (inTime && instead.version === change.expected) return undefined;
    return instead.version === change.version ? found : { ...found, instead };
  }

  #rowOf(change: DocumentChange): RowChange {
    const { kind, name, expected, version, notBefore, notAfter, ttlMs, mayBeLost } = change;
    const document = JSON.stringify(change.state);
    const wake = wakeMessage(change.wake);
    const told = PRIVATE.has(kind) ? undefined : document;
    const { feed } = this.#options;
    return {
      kind,
      name,
      expected,
      version,
      notBefore,
      notAfter,
      fence: fenceIn(change.state),
      document,
      ttlMs: Number.isFinite(ttlMs) ? Math.ceil(ttlMs) : null,
      wake,
      notice: wake === null ? null : (feed.notice?.({ kind, name, wake, version, document: told }) ?? null),
      told: change.told ?? null,
      mayBeLost,
    };
  }

  async #run(subject: ErrorSubject, statement: Statement, sending?: Sending): Promise<SqlResult> {
    const { schema, statements } = this.#options;
    const ready: MaybeAsync<void> = schema.prepare(subject);
    if (isPending(ready)) await ready;
    try {
      return await statements.run(subject, statement, sending);
    } catch (error) {
      if (statements.failureOf(error) !== 'missing') throw error;
      schema.forget();
      await schema.prepare(subject);
      return statements.run(subject, statement, sending);
    }
  }

  #subject(kind: string, name: string): ErrorSubject {
    return subjectOf(kind, name, this.#options.statements.client.label);
  }
}

/** Reads a row, and refuses a connection that does not commit: the next change on it would be rolled back. */
function committedIn(row: readonly SqlValue[] | undefined, subject: ErrorSubject): Found {
  if (Number(row?.[4] ?? 1) !== 1) throw uncommitted(subject);
  return foundIn(row);
}

function foundIn(row: readonly SqlValue[] | undefined): Found {
  const [now, version, document, changedAt] = row ?? [];
  if (version === null || version === undefined)
    return { now: Number(now), version: undefined, state: undefined };
  return {
    now: Number(now),
    version: String(version),
    state: JSON.parse(String(document)),
    changedAt: Number(changedAt),
  };
}

/** Kinds whose state contains data of the user: it stays in the row, and no message carries it. */
const PRIVATE: ReadonlySet<string> = new Set(['monitor', 'election']);

/** The fence of a state; in an election, the fence of the lock inside. */
interface FencedState {
  readonly fence?: number;
  readonly lock?: { readonly fence: number };
}

/** The last fence granted, for users that compare it in their own statements; 0 for kinds without one. */
function fenceIn(document: unknown): number {
  const { state } = document as { readonly state: FencedState | null };
  return state?.fence ?? state?.lock?.fence ?? 0;
}
