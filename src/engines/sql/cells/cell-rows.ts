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

/** The documents of all synchronizers: one row for each, replaced by one statement that compares version and time. */
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
      // What is there may be our own: written by a copy whose answer was lost.
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

  /** The names behind this one, in the order of kind and name. */
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

  /** Undefined where the client lends no connection: then the comparison alone has to do. */
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
    // A connection that does not answer is closed: otherwise its lock would stay, and the pool would have one less.
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
      // Until here the database undoes everything when the connection ends.
      if (change !== undefined) sending?.leaves();
      await run({ text: dialect.commit, values: [] });
      how = 'reuse';
      return answer(now);
    } finally {
      await session.end(how);
    }
  }

  /** Undefined if it was not done and what is there is still to be read. */
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
    // In time, and on the version that is there: then it is a view from before the change that it lost against.
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

/** What was read, on a connection that commits: on any other the next change would be undone. */
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

/** What users have put there travels in no message: a row alone keeps it. */
const PRIVATE: ReadonlySet<string> = new Set(['monitor', 'election']);

/** As far as states have a fence: that of an election is the one of the lock within. */
interface FencedState {
  readonly fence?: number;
  readonly lock?: { readonly fence: number };
}

/** The last fence given out, for users who compare it in statements of their own; 0 for what has none. */
function fenceIn(document: unknown): number {
  const { state } = document as { readonly state: FencedState | null };
  return state?.fence ?? state?.lock?.fence ?? 0;
}
