import { openMysql } from '../../../src/engines/mysql/open-mysql.ts';
import { startMariadb } from '../../fixtures/sql/mariadb-server.ts';
import { sqlConformance } from '../sql/sql-conformance.ts';
import { mysqlPools } from '../sql-clients/mysql-pools.ts';

/** The whole conformance suite on MariaDB with one of the clients. */
export function mysqlConformance(client: string): void {
  sqlConformance({
    engine: 'mysql',
    program: 'mariadb',
    client,
    open: openMysql,
    pool: mysqlPools[client]!,
    start: () => startMariadb({ settings: { 'max-connections': '600' } }),
  });
}
