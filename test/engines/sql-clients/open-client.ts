import type { SqlClient } from '../../../src/engines/sql/sql-client.ts';

/** A client over a pool that users would make like this, and how it ends. */
export interface OpenClient {
  readonly client: SqlClient;
  /** What the user has: to make another client of. */
  readonly pool: unknown;
  readonly end: () => Promise<void>;
}

export type Opening = (url: string, most?: number) => OpenClient;

export function opened(pool: unknown, client: SqlClient, endPool: () => Promise<unknown>): OpenClient {
  const end = async (): Promise<void> => {
    await client.close();
    await endPool();
  };
  let ended: Promise<void> | undefined;
  return { client, pool, end: () => (ended ??= end()) };
}
