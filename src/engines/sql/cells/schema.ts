import { explainedFor, SharedFailure } from '../../../kernels/requests/shared-failure.ts';
import type { ErrorSubject } from '../../../spi/errors.ts';
import type { MaybeAsync } from '../../../spi/maybe-async.ts';
import { SCHEMA_VERSION } from '../dialects/dialect.ts';
import { newerSchema, noSchema } from '../sql-errors.ts';
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

  /** To be awaited before any other statement. Those who wait share one look, and each is told a failure for its subject. */
  prepare(subject: ErrorSubject): MaybeAsync<void> {
    if (this.#ready) return undefined;
    this.#preparing ??= this.#findOrCreate().finally(() => {
      this.#preparing = undefined;
    });
    return this.#preparing.catch((error: unknown) => {
      throw explainedFor(subject, error);
    });
  }

  /** They were there, and are no longer: a file that was deleted, a table that was dropped. */
  forget(): void {
    this.#ready = false;
  }

  async #findOrCreate(): Promise<void> {
    const { engine } = this.#statements.dialect;
    let found = await this.#find();
    if (found === undefined) {
      await this.#create();
      found = await this.#find();
    }
    if (found === undefined)
      throw new SharedFailure((subject) => noSchema(engine, 'they are still missing', subject));
    const { version } = found;
    if (version > SCHEMA_VERSION)
      throw new SharedFailure((subject) => newerSchema(version, SCHEMA_VERSION, subject));
    this.#createdAt = found.createdAt;
    this.#secret = found.secret;
    this.#ready = true;
  }

  /** In time: a connection that has gone silent would otherwise keep everybody waiting who comes after this one. */
  async #find(): Promise<FoundSchema | undefined> {
    try {
      const { rows } = await this.#statements.runInTime(undefined, this.#statements.dialect.schemaVersion);
      const [row] = rows;
      if (row === undefined) return undefined;
      const [version, createdAt, secret] = row;
      return {
        version: Number(version),
        createdAt: Number(createdAt),
        secret: secret === undefined ? undefined : String(secret),
      };
    } catch (error) {
      if (this.#statements.failureOf(error) === 'missing') return undefined;
      throw error;
    }
  }

  /** Several processes may do this at the same time; each statement bears it. */
  async #create(): Promise<void> {
    const { dialect } = this.#statements;
    try {
      for (const text of dialect.schema) await this.#statements.runInTime(undefined, { text, values: [] });
    } catch (error) {
      const { client } = this.#statements;
      // The schema or database that was to hold them is missing as well.
      const isMissing = this.#statements.failureOf(error) === 'missing';
      if (isMissing) throw new SharedFailure((subject) => noSchema(dialect.engine, error, subject));
      if (!(error instanceof SharedFailure)) throw error;
      throw new SharedFailure((subject) =>
        client.closed ? error.explainedFor(subject) : noSchema(dialect.engine, error.cause, subject),
      );
    }
  }
}
