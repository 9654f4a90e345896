import { systemClock, systemRandom } from '../../core/time/clock.ts';
import type { Clock, Random } from '../../spi/clock.ts';
import type { Synchronizers } from '../../spi/synchronizers.ts';
import type { Traits } from '../../spi/engine/traits.ts';
import { openSqlEngine, type SqlExtras, type SqlInside } from '../sql/open-sql-engine.ts';
import { postgresDialect } from '../sql/dialects/postgres-dialect.ts';
import type { SqlClient } from '../sql/sql-client.ts';
import { checkedPollMs, checkedSqlSettings } from '../sql/sql-options.ts';
import { checkPostgresOptions, type PostgresSettings } from './postgres-options.ts';
import { PostgresChangeFeed, USUAL_POLL_MS } from './postgres-change-feed.ts';

export const postgresTraits = {
  wakeUp: 'push',
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

export interface PostgresSurroundings {
  readonly clock: Clock;
  readonly random: Random;
  /** Another clock of the database, as an expression. */
  readonly now?: string;
}

const system: PostgresSurroundings = { clock: systemClock, random: systemRandom };

/** The engine over a client, which it closes when it is closed. */
export function openPostgres(
  sql: SqlClient,
  options: PostgresSettings,
  surroundings: PostgresSurroundings = system,
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
