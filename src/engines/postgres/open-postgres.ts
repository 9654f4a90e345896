import type { Synchronizers } from '../../spi/synchronizers.ts';
import type { Traits } from '../../spi/engine/traits.ts';
import { openSqlEngine, type SqlExtras, type SqlInside } from '../sql/open-sql-engine.ts';
import { postgresDialect } from '../sql/dialects/postgres-dialect.ts';
import { cellTraits } from '../sql/cell-traits.ts';
import type { SqlClient } from '../sql/sql-client.ts';
import { checkedPollMs, checkedSqlSettings } from '../sql/sql-options.ts';
import { systemSurroundings } from '../sql/sql-surroundings.ts';
import { checkPostgresOptions, type PostgresSettings } from './postgres-options.ts';
import { PostgresChangeFeed, USUAL_POLL_MS } from './postgres-change-feed.ts';

export const postgresTraits = { ...cellTraits, wakeUp: 'push' } as const satisfies Traits;

/** The engine over a client, which it closes when it is closed. */
export function openPostgres(
  sql: SqlClient,
  options: PostgresSettings,
  surroundings = systemSurroundings,
): Synchronizers & SqlExtras & { readonly traits: typeof postgresTraits; readonly inside: SqlInside } {
  checkPostgresOptions(options);
  const settings = checkedSqlSettings(options, 'postgres');
  const pollMs = checkedPollMs(options, USUAL_POLL_MS, 'postgres');
  const { tablePrefix } = settings.tables;
  return openSqlEngine({
    engine: 'postgres',
    traits: postgresTraits,
    options,
    settings,
    dialect: postgresDialect(settings.tables, {
      now: surroundings.now,
      limitMs: settings.commandTimeoutMs,
    }),
    surroundings: { clock: surroundings.clock, random: surroundings.random },
    connect: () => ({
      sql,
      createFeed: (statements, schema) => new PostgresChangeFeed({ statements, schema, tablePrefix, pollMs }),
    }),
  });
}
