import { systemClock, systemRandom } from '../../core/time/clock.ts';
import type { Clock, Random } from '../../spi/clock.ts';
import type { Synchronizers } from '../../spi/synchronizers.ts';
import type { Traits } from '../../spi/engine/traits.ts';
import { mysqlDialect } from '../sql/dialects/mysql-dialect.ts';
import { openSqlEngine, type SqlExtras, type SqlInside } from '../sql/open-sql-engine.ts';
import type { SqlClient } from '../sql/sql-client.ts';
import { checkedPollMs, checkedSqlSettings } from '../sql/sql-options.ts';
import { checkMysqlOptions, type MysqlSettings } from './mysql-options.ts';
import { MysqlChangeFeed, USUAL_POLL_MS } from './mysql-change-feed.ts';

export const mysqlTraits = {
  wakeUp: 'poll',
  clock: 'server',
  crash: 'lease',
  waiters: 'fleet',
  permitOrder: 'fleet',
  keyspace: 'by-kind',
  // A lease may begin before the moment of its grant (soundness 5), by 20 ms plus 1 % of the lease: 50 ms for 3
  // seconds.
  leaseGranularityMs: 50,
  scope: 'fleet',
} as const satisfies Traits;

export interface MysqlSurroundings {
  readonly clock: Clock;
  readonly random: Random;
  /** Another clock of the database, as an expression in microseconds. */
  readonly nowUs?: string;
}

const system: MysqlSurroundings = { clock: systemClock, random: systemRandom };

/** The engine over a client, which it closes when it is closed. */
export function openMysql(
  sql: SqlClient,
  options: MysqlSettings,
  surroundings: MysqlSurroundings = system,
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
      now: surroundings.nowUs,
      // A query function may look at the first word of a statement, so statements for it begin without a limit.
      ...(sql.openSession !== undefined && { limitMs: settings.commandTimeoutMs }),
    }),
    surroundings: { clock: surroundings.clock, random: surroundings.random },
    connect: () => ({ sql, createFeed: (statements) => new MysqlChangeFeed(statements, pollMs) }),
  });
}
