import { nativeError } from './native-error.ts';
import type { SessionParts } from './native-parts.ts';
import { rowLockSchema, rowLockTable } from './row-lock-table.ts';
import type { Bearer } from './session-lock-kind.ts';

/** Several who create one table at once may get in each other's way, even with `if not exists`. */
const TRIES = 5;

/** The rows that are locked. They are made outside of the transactions that lock them, or nobody else would see them. */
export class LockRows {
  readonly table: string;
  readonly #parts: SessionParts;
  readonly #engine: 'postgres' | 'mysql';

  constructor(parts: SessionParts, engine: 'postgres' | 'mysql') {
    this.#parts = parts;
    this.#engine = engine;
    this.table = rowLockTable(engine, parts);
  }

  /** Puts in the row of a name, and creates the table if that is missing. */
  async add({ name, subject }: Bearer): Promise<void> {
    const { sql, createTables } = this.#parts;
    const insert =
      this.#engine === 'postgres'
        ? `insert into ${this.table} (name, fence) values ($1, 0) on conflict do nothing`
        : `insert ignore into ${this.table} (name, fence) values (?, 0)`;
    for (let tries = 1; ; tries += 1) {
      try {
        await sql.query(insert, [name]);
        return;
      } catch (error) {
        const missing = sql.failure(error) === 'missing';
        if (!missing) throw nativeError(error, sql, subject);
        const created = createTables && tries < TRIES ? await this.#create() : 'not';
        if (created === 'not') throw nativeError(error, sql, subject, this.#remedy);
      }
    }
  }

  /** Somebody else may have been quicker, which the next attempt shows. */
  async #create(): Promise<'perhaps' | 'not'> {
    const { sql } = this.#parts;
    try {
      await sql.query(rowLockSchema(this.#engine, this.#parts), []);
      return 'perhaps';
    } catch (error) {
      return sql.failure(error) === 'denied' ? 'not' : 'perhaps';
    }
  }

  get #remedy(): string {
    return `Create the table: ${rowLockSchema(this.#engine, this.#parts)};`;
  }
}
