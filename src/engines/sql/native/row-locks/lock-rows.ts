import type { SqlSession } from '../../sql-client.ts';
import { nativeError } from '../native-error.ts';
import type { SessionParts } from '../native-parts.ts';
import { rowLockSchema, rowLockTable } from './row-lock-table.ts';
import type { LockConnection } from '../connection-locks/session-lock-kind.ts';

/** How often to try: clients that create one table at the same time make each other fail, even with `if not exists`. */
const TRIES = 5;

/**
 * The rows that are locked. They are inserted outside of the transactions that lock them, or no other client would see
 * them, but on the same connection. The tempting alternative takes another connection of the pool: once as many owners
 * insert as the pool has connections, each waits for a connection that only the others could give back.
 */
export class LockRows {
  readonly table: string;
  readonly #parts: SessionParts;
  readonly #engine: 'postgres' | 'mysql';

  constructor(parts: SessionParts, engine: 'postgres' | 'mysql') {
    this.#parts = parts;
    this.#engine = engine;
    this.table = rowLockTable(engine, parts);
  }

  /** Inserts the row of a name, and creates the table if it is missing. The connection must be in no transaction. */
  async add({ name, subject, session }: LockConnection): Promise<void> {
    const { sql, createTables } = this.#parts;
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#insert(session, name);
        return;
      } catch (error) {
        const failure = sql.failure(error);
        // Another client has inserted the row meanwhile, and holds it already.
        if (failure === 'again') return;
        if (failure !== 'missing') throw nativeError(error, sql, subject);
        const created = createTables && tries < TRIES ? await this.#create(session) : 'not';
        if (created === 'not') throw nativeError(error, sql, subject, this.#remedy);
      }
    }
  }

  async #insert(session: SqlSession, name: string): Promise<void> {
    if (this.#engine === 'postgres') {
      const text = `insert into ${this.table} (name, fence) values ($1, 0) on conflict do nothing`;
      await session.query(text, [name]);
      return;
    }
    // A plain `insert ignore` would wait for the transaction of a client that has inserted and locked the row
    // meanwhile, only to find the row there. This one looks first; at read committed, because at any other level InnoDB
    // locks what an `insert … select` reads. MariaDB does not wait either for a row that appears between the look and
    // the insert; MySQL reads that part as a comment.
    await session.query('set transaction isolation level read committed', []);
    const atOnce = '/*M!100300 set statement innodb_lock_wait_timeout = 0 for */';
    const missing = `from (select 1) as one where not exists (select 1 from ${this.table} where name = ?)`;
    await session.query(`${atOnce} insert ignore into ${this.table} (name, fence) select ?, 0 ${missing}`, [
      name,
      name,
    ]);
    // Where the session has autocommit off, the insert alone commits nothing.
    await session.query('commit', []);
  }

  /** Another client may have been quicker; the next attempt shows it. */
  async #create(session: SqlSession): Promise<'perhaps' | 'not'> {
    const { sql } = this.#parts;
    try {
      await session.query(rowLockSchema(this.#engine, this.#parts), []);
      return 'perhaps';
    } catch (error) {
      return sql.failure(error) === 'denied' ? 'not' : 'perhaps';
    }
  }

  get #remedy(): string {
    return `Create the table: ${rowLockSchema(this.#engine, this.#parts)};`;
  }
}
