import type { Program } from '../../../spi/api/client-card.ts';
import type { Announcements, FoundClients } from '../../../spi/engine/announcements.ts';
import { SharedFailure } from '../../../kernels/requests/shared-failure.ts';
import type { SqlFailure, SqlResult } from '../sql-client.ts';
import type { Statement } from '../dialects/dialect.ts';
import type { Schema } from './schema.ts';
import type { Statements } from './statements.ts';

/** Long enough that a client repeats it three times an hour; short enough that those of crashed clients do not pile up. */
const LAST_MS = 3_600_000;
/** An owner of this library: 128 random bits of the client, and a number. */
const OURS = /^[0-9a-f]{32}:/;
/** A UUID of Java's. Those of this library's table locks are of version 8. */
const JAVA = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-7]/i;

/** What no later attempt of the same user changes. The server logs each of them. */
const FINAL: ReadonlySet<SqlFailure> = new Set(['missing', 'denied']);

/**
 * Rows of the table of cells in which the clients of a database say who they are. The table is there, with its permissions and its
 * clean-up; a table of its own would have to be created by every application that may not create tables.
 *
 * A program that uses only the locks of the database itself has no such table, and gets none for this: it announces nothing. The
 * tempting alternative tries and ignores the error, which the server logs each time, for as long as the program runs.
 */
export class AnnouncementRows implements Announcements {
  readonly lastMs = LAST_MS;
  readonly fencesAreTimes = true;
  readonly #statements: Statements;
  readonly #schema: Schema;
  #isWriteRefused = false;
  #isReadRefused = false;

  constructor(statements: Statements, schema: Schema) {
    this.#statements = statements;
    this.#schema = schema;
  }

  get isReady(): boolean {
    return this.#schema.isReady && !this.#isWriteRefused;
  }

  async announce(client: string, said: string): Promise<void> {
    await this.#write(this.#statements.dialect.announce(client, said, LAST_MS));
  }

  async retract(client: string): Promise<void> {
    await this.#write(this.#statements.dialect.retract(client));
  }

  /** Reads also where this client has not prepared the tables: an inspector never does. It asks once for tables that are missing. */
  async find(clients: readonly string[]): Promise<FoundClients> {
    if (this.#isReadRefused && !this.#schema.isReady) throw new Error('the tables of Holdfast are missing');
    const { rows } = await this.#run(this.#statements.dialect.announced(JSON.stringify(clients)), () => {
      this.#isReadRefused = true;
    });
    const said = rows.flatMap(([, client, text]) =>
      client === null ? [] : [[String(client), String(text)] as const],
    );
    return { now: Number(rows[0]?.[0]), said: new Map(said) };
  }

  programOf(owner: string, kind: string): Program {
    if (kind === 'tableLock') return JAVA.test(owner) ? 'spring' : 'holdfast';
    return OURS.test(owner) ? 'holdfast' : 'other';
  }

  async #write(statement: Statement): Promise<void> {
    if (!this.isReady) return;
    await this.#run(statement, () => {
      this.#isWriteRefused = true;
    });
  }

  async #run(statement: Statement, whenRefused: () => void): Promise<SqlResult> {
    try {
      return await this.#statements.run(undefined, statement);
    } catch (error) {
      const cause = error instanceof SharedFailure ? error.cause : error;
      if (FINAL.has(this.#statements.failureOf(cause))) whenRefused();
      throw error;
    }
  }
}
