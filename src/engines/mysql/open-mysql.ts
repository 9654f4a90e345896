import type { Synchronizers } from '../../spi/synchronizers.ts';
import type { Traits } from '../../spi/engine/traits.ts';
import { mysqlDialect } from '../sql/dialects/mysql-dialect.ts';
import { openSqlEngine, type SqlExtras, type SqlInside } from '../sql/open-sql-engine.ts';
import { cellTraits } from '../sql/cell-traits.ts';
import type { SqlClient } from '../sql/sql-client.ts';
import { checkedPollMs, checkedSqlSettings } from '../sql/sql-options.ts';
import { systemSurroundings } from '../sql/sql-surroundings.ts';
import { checkMysqlOptions, type MysqlSettings } from './mysql-options.ts';
import { MysqlChangeFeed, USUAL_POLL_MS } from './mysql-change-feed.ts';

export const mysqlTraits = { ...cellTraits, wakeUp: 'poll' } as const satisfies Traits;

/** The engine over a client, which it closes when it is closed. */
export function openMysql(
  sql: SqlClient,
  options: MysqlSettings,
  surroundings = systemSurroundings,
): Synchronizers & SqlExtras & { readonly traits: typeof mysqlTraits; readonly inside: SqlInside } {
  checkMysqlOptions(options);
  const settings = checkedSqlSettings(options, 'mysql');
  const pollMs = checkedPollMs(options, USUAL_POLL_MS, 'mysql');
  return openSqlEngine({
    engine: 'mysql',
    traits: mysqlTraits,
    options,
    settings,
    dialect: mysqlDialect(settings.tables, {
      now: surroundings.now,
      // A query function may look at the first word of a statement, so statements for it begin without a limit.
      ...(sql.openSession !== undefined && { limitMs: settings.commandTimeoutMs }),
    }),
    surroundings: { clock: surroundings.clock, random: surroundings.random },
    connect: () => ({ sql, createFeed: (statements) => new MysqlChangeFeed(statements, pollMs) }),
  });
}
