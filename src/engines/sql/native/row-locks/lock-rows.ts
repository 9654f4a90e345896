import type { SqlSession } from '../../sql-client.ts';
import { nativeError } from '../native-error.ts';
import type { SessionParts } from '../native-parts.ts';
import { rowLockSchema, rowLockTable } from './row-lock-table.ts';
import type { LockConnection } from '../connection-locks/session-lock-kind.ts';

/** Clients that create one table at once may get in each other's way, even with `if not exists`. */
const TRIES = 5;

/**
 * The rows that are locked. They are made outside of the transactions that lock them, or no other client would see them;
 * but by the same connection. Another one of the pool would do as well, until as many who need one have all that there are:
 * then each waits for a connection that only the others could give back.
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

  /** Puts in the row of a name, and creates the table if that is missing. The connection is in no transaction. */
  async add({ name, subject, session }: LockConnection): Promise<void> {
    const { sql, createTables } = this.#parts;
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#insert(session, name);
        return;
      } catch (error) {
        const failure = sql.failure(error);
        // Another client has put it in meanwhile, and holds it already.
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
    // A plain `insert ignore` waits for the transaction of the client that has put the row in and locked it meanwhile, only
    // to find the row there. This one looks first; read committed, because on any other level InnoDB locks what an
    // `insert … select` reads. For a row that comes between the look and the insert of the statement MariaDB does not wait
    // either; MySQL reads that part as a comment.
    await session.query('set transaction isolation level read committed', []);
    const atOnce = '/*M!100300 set statement innodb_lock_wait_timeout = 0 for */';
    const missing = `from (select 1) as one where not exists (select 1 from ${this.table} where name = ?)`;
    await session.query(`${atOnce} insert ignore into ${this.table} (name, fence) select ?, 0 ${missing}`, [
      name,
      name,
    ]);
    // By itself it is committed only where the session says so.
    await session.query('commit', []);
  }

  /** Another client may have been quicker, which the next attempt shows. */
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
