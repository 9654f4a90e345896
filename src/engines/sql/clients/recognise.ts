import { argumentTypeError } from '../../../spi/errors.ts';
import type { SqlClient } from '../sql-client.ts';
import { mariadbClient, type MariadbPool } from './mariadb/mariadb-client.ts';
import { mistakenPool } from './mistaken-pool.ts';
import { mysql2Client, type Mysql2Pool } from './mysql2/mysql2-client.ts';
import { pgClient, type PgClientOptions } from './pg/pg-client.ts';
import type { PgPool } from './pg/pg-shapes.ts';
import { postgresJsClient } from './postgres-js/postgres-js-client.ts';
import type { PostgresJs } from './postgres-js/postgres-js-shapes.ts';
import { type QueryFunction, queryFunctionClient } from './query-function-client.ts';

/**
 * Properties that only this client has all of. Clients are recognised by their shape and never by their class: a
 * program may contain two copies of a client's package.
 */
const shapes = {
  pg: ['connect', 'query', 'totalCount', 'idleCount', 'waitingCount'],
  postgresJs: ['unsafe', 'typed', 'listen', 'begin', 'options'],
  mysql2: ['getConnection', 'execute', 'promise', 'config'],
  mysql2Promise: ['getConnection', 'execute', 'pool', 'format'],
  mariadb: ['getConnection', 'execute', 'batch', 'activeConnections', 'taskQueueSize'],
} as const;

function has(given: unknown, shape: keyof typeof shapes): boolean {
  if ((typeof given !== 'object' || given === null) && typeof given !== 'function') return false;
  return shapes[shape].every((name) => name in given);
}

/** Whether the methods of a pool of mariadb want a callback: only the number of their parameters shows it. */
function wantsCallbacks(given: unknown): boolean {
  return (given as { readonly getConnection: { readonly length: number } }).getConnection.length > 0;
}

/** Statements over the user's client for PostgreSQL. */
export function postgresClientFor(given: unknown, options: PgClientOptions = {}): SqlClient {
  if (has(given, 'pg')) return pgClient(given as PgPool, options);
  if (has(given, 'postgresJs')) return postgresJsClient(given as PostgresJs, options);
  const mistake = mistakenPool(given, 'postgres');
  if (typeof given === 'function' && mistake === undefined)
    return queryFunctionClient(given as QueryFunction, 'postgres');
  const known = 'a Pool of pg, the sql of postgres.js, or a function (text, values) => Promise<rows>';
  return refuse('postgres', known, mistake);
}

/** Statements over the user's client for MySQL or MariaDB. */
export function mysqlClientFor(given: unknown): SqlClient {
  if (has(given, 'mysql2Promise')) return mysql2Client(given as Mysql2Pool);
  if (has(given, 'mysql2')) return mysql2Client((given as { promise(): Mysql2Pool }).promise());
  if (has(given, 'mariadb') && !wantsCallbacks(given)) return mariadbClient(given as MariadbPool);
  const mistake = mistakenPool(given, 'mysql');
  if (typeof given === 'function' && mistake === undefined)
    return queryFunctionClient(given as QueryFunction, 'mysql');
  const known = 'a pool of mysql2 or mariadb, or a function (text, values) => Promise<rows>';
  return refuse('mysql', known, mistake);
}

function refuse(engine: string, known: string, mistake: string | undefined): never {
  const more = mistake === undefined ? '' : ` ${mistake}`;
  throw argumentTypeError(`${engine}(): pool must be ${known}.${more}`, { resource: `${engine}()`, engine });
}
