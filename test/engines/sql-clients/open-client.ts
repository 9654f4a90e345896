import type { MysqlOptions } from '../../../src/engines/mysql/index.ts';
import type { PostgresOptions } from '../../../src/engines/postgres/index.ts';
import type { SqlClient } from '../../../src/engines/sql/sql-client.ts';

/** What users may pass to one of the engines. A test passes it to the engine that it belongs to. */
export type PoolOfUser = PostgresOptions['pool'] | MysqlOptions['pool'];

/** A client over a pool that users would make like this, and how it ends. */
export interface OpenClient {
  readonly client: SqlClient;
  /** What the user has: to make another client of. */
  readonly pool: PoolOfUser;
  readonly end: () => Promise<void>;
}

export type Opening = (url: string, most?: number) => OpenClient;

export function opened(pool: PoolOfUser, client: SqlClient, endPool: () => Promise<unknown>): OpenClient {
  const end = async (): Promise<void> => {
    await client.close();
    await endPool();
  };
  let ended: Promise<void> | undefined;
  return { client, pool, end: () => (ended ??= end()) };
}
