import { openPostgres } from '../../../src/engines/postgres/open-postgres.ts';
import { startPostgres } from '../../fixtures/sql/postgres-server.ts';
import { sqlConformance } from '../sql/sql-conformance.ts';
import { postgresPools } from '../sql-clients/postgres-pools.ts';

/** The whole conformance suite on PostgreSQL with one of the clients. */
export function postgresConformance(client: string): void {
  sqlConformance({
    engine: 'postgres',
    program: 'postgres',
    client,
    open: openPostgres,
    pool: postgresPools[client]!,
    start: () => startPostgres({ trusting: true, settings: { max_connections: '600' } }),
  });
}
