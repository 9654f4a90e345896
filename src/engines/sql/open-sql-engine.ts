import { assemble } from '../../kernels/assemble.ts';
import { openContext } from '../../kernels/context.ts';
import { OptimisticCells } from '../../kernels/cells/optimistic-cells.ts';
import { ReliableCells } from '../../kernels/cells/reliable-cells.ts';
import { remoteProtocols } from '../../kernels/cells/remote-protocols.ts';
import type { Client } from '../../core/client.ts';
import type { Clock, Random } from '../../spi/clock.ts';
import type { Inspector } from '../../spi/engine/inspector.ts';
import type { Synchronizers } from '../../spi/synchronizers.ts';
import type { Traits } from '../../spi/engine/traits.ts';
import { AnnouncementRows } from './cells/announcement-rows.ts';
import { CellRows } from './cells/cell-rows.ts';
import { CleanUp } from './cells/clean-up.ts';
import type { Dialect } from './dialects/dialect.ts';
import { sqlInspector } from './cells/sql-inspector.ts';
import { Schema } from './cells/schema.ts';
import type { ChangeFeed } from './cells/change-feed.ts';
import type { SqlClient } from './sql-client.ts';
import type { CheckedSqlSettings, SqlSettings } from './sql-options.ts';
import { Statements } from './cells/statements.ts';

/** The connection to one database, for one engine object. */
export interface SqlConnection {
  readonly sql: SqlClient;
  readonly createFeed: (statements: Statements, schema: Schema) => ChangeFeed;
  /** Called after rows were cleaned up. */
  readonly afterCleanUp?: () => Promise<void> | void;
}

export interface SqlEngineParts<T extends Traits> {
  readonly engine: Dialect['engine'];
  readonly traits: T;
  readonly options: SqlSettings;
  readonly settings: CheckedSqlSettings;
  readonly dialect: Dialect;
  readonly surroundings: { readonly clock: Clock; readonly random: Random };
  /** Opens the connection. `replaced` must be called when another database has taken the place of the one before. */
  readonly connect: (client: Client, replaced: () => void) => SqlConnection;
}

/**
 * All synchronizers over rows of a database. There are no sessions: a database does not know its clients, and the files
 * of SQLite prove deaths in another way. Each client keeps its holds alive by renewing them.
 */
export function openSqlEngine<T extends Traits>(
  parts: SqlEngineParts<T>,
): Synchronizers & SqlExtras & { readonly traits: T; readonly inside: SqlInside } {
  const { engine, traits, options, settings, dialect, surroundings } = parts;
  const context = openContext({ engine, options, ...surroundings });
  const { client, session } = context;
  const { commandTimeoutMs, retentionMs } = settings;
  const connection = parts.connect(client, () => schema.forget());
  const { sql } = connection;
  const statements = new Statements({ client, sql, dialect, commandTimeoutMs });
  const schema = new Schema(statements);
  const feed = connection.createFeed(statements, schema);
  const cleanUp = new CleanUp(statements, connection.afterCleanUp);
  const documents = new CellRows({ statements, schema, feed, cleanUp, retentionMs });
  const inside = { client, statements, schema, feed, cleanUp, documents };
  const cells = new ReliableCells(client, session, new OptimisticCells(client, documents), {
    commandTimeoutMs,
  });
  const protocols = remoteProtocols(cells);
  const synchronizers = assemble(context, {
    traits,
    protocols,
    announcements: new AnnouncementRows(statements, schema),
    whenClosed: async () => {
      await feed.close();
      await sql.close();
    },
  });
  return { ...synchronizers, inspector: sqlInspector(inside, protocols, commandTimeoutMs), inside };
}

/** What these engines offer beside the synchronizers of every engine. */
export interface SqlExtras {
  /** Shows what is held and waited for, and can break a hold. */
  readonly inspector: Inspector;
}

/** The internals from which an engine builds its extras. */
export interface SqlInside {
  readonly client: Client;
  readonly statements: Statements;
  readonly schema: Schema;
  readonly feed: ChangeFeed;
  readonly cleanUp: CleanUp;
  readonly documents: CellRows;
}
