import { type ErrorSubject, isHoldfastError } from '../../spi/errors.ts';
import type { Eventually } from '../../spi/eventually.ts';
import { SCHEMA_VERSION } from './dialect.ts';
import { newerSchema, noSchema } from './sql-errors.ts';
import type { Statements } from './statements.ts';

interface FoundSchema {
  readonly version: number;
  readonly createdAt: number;
  readonly secret: string | undefined;
}

/** Our tables: looked for at first use, created if they are not there, refused if they are of a newer release. */
export class Schema {
  readonly #statements: Statements;
  #ready = false;
  #preparing: Promise<void> | undefined;
  #createdAt = Infinity;
  #secret: string | undefined;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** By the database's clock: before that nothing was kept, or it is no longer there. */
  get createdAt(): number {
    return this.#createdAt;
  }

  /** Known to all who may read the tables, and to no other role; only of tables that have one (PostgreSQL). */
  get secret(): string | undefined {
    return this.#secret;
  }

  /** To be awaited before any other statement. */
  ready(subject: ErrorSubject): Eventually<void> {
    if (this.#ready) return undefined;
    this.#preparing ??= this.#prepare(subject).finally(() => {
      this.#preparing = undefined;
    });
    return this.#preparing;
  }

  /** They were there, and are no longer: a file that was deleted, a table that was dropped. */
  forget(): void {
    this.#ready = false;
  }

  async #prepare(subject: ErrorSubject): Promise<void> {
    let found = await this.#find(subject);
    if (found === undefined) {
      await this.#create(subject);
      found = await this.#find(subject);
    }
    if (found === undefined)
      throw noSchema(this.#statements.dialect.engine, 'they are still missing', subject);
    if (found.version > SCHEMA_VERSION) throw newerSchema(found.version, SCHEMA_VERSION, subject);
    this.#createdAt = found.createdAt;
    this.#secret = found.secret;
    this.#ready = true;
  }

  async #find(subject: ErrorSubject): Promise<FoundSchema | undefined> {
    try {
      const { rows } = await this.#statements.run(subject, this.#statements.dialect.schemaVersion);
      const [row] = rows;
      if (row === undefined) return undefined;
      const [version, createdAt, secret] = row;
      return {
        version: Number(version),
        createdAt: Number(createdAt),
        secret: secret === undefined ? undefined : String(secret),
      };
    } catch (error) {
      if (!isHoldfastError(error) && this.#statements.failureOf(error) === 'missing') return undefined;
      throw error;
    }
  }

  /** Several processes may do this at the same time; each statement bears it. */
  async #create(subject: ErrorSubject): Promise<void> {
    const { dialect } = this.#statements;
    try {
      for (const text of dialect.schema) await this.#statements.run(subject, { text, values: [] });
    } catch (error) {
      if (isHoldfastError(error) && error.cause instanceof Error)
        throw noSchema(dialect.engine, error.cause, subject);
      throw error;
    }
  }
}
