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

/** The tables of the engine: found at the first use, created if missing, refused if they are of a newer release. */
export class Schema {
  readonly #statements: Statements;
  #ready = false;
  #preparing: Promise<void> | undefined;
  #createdAt = Infinity;
  #secret: string | undefined;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** Whether this client has found the tables, or created them. */
  get isReady(): boolean {
    return this.#ready;
  }

  /** When the tables were created, by the database's clock: no older state exists. */
  get createdAt(): number {
    return this.#createdAt;
  }

  /** A secret that only roles with read access to the tables know; PostgreSQL only. */
  get secret(): string | undefined {
    return this.#secret;
  }

  /** Await it before any other statement. Concurrent callers share one look, and each gets a failure for its own subject. */
  prepare(subject: ErrorSubject): MaybeAsync<void> {
    if (this.#ready) return undefined;
    this.#preparing ??= this.#findOrCreate().finally(() => {
      this.#preparing = undefined;
    });
    return this.#preparing.catch((error: unknown) => {
      throw explainedFor(subject, error);
    });
  }

  /** Looks again at the next use: the tables have gone, with a deleted file or a dropped table. */
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

  /** Finds the tables within the command time-out: a dead connection would otherwise block every later caller. */
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

  /** Creates the tables. The race: several processes may do so at the same time, and each statement allows that. */
  async #create(): Promise<void> {
    const { dialect } = this.#statements;
    try {
      for (const text of dialect.schema) await this.#statements.runInTime(undefined, { text, values: [] });
    } catch (error) {
      const { client } = this.#statements;
      // The schema or database that should contain the tables is missing as well.
      const isMissing = this.#statements.failureOf(error) === 'missing';
      if (isMissing) throw new SharedFailure((subject) => noSchema(dialect.engine, error, subject));
      if (!(error instanceof SharedFailure)) throw error;
      throw new SharedFailure((subject) =>
        client.closed ? error.explainedFor(subject) : noSchema(dialect.engine, error.cause, subject),
      );
    }
  }
}
