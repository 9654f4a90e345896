import pg from 'pg';
import postgres from 'postgres';
import { postgresClientFor } from '../../../src/engines/sql/clients/recognise.ts';
import { opened, type Opening } from './open-client.ts';

export function pgPool(url: string, max = 5): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max });
  pool.on('error', () => undefined);
  return pool;
}

export const postgresPools: Readonly<Record<string, Opening>> = {
  pg: (url, most) => {
    const pool = pgPool(url, most);
    return opened(pool, postgresClientFor(pool), () => pool.end());
  },
  'postgres.js': (url, max = 5) => {
    // With `fetch_types` a connection that breaks while it is young ends the process: docs/engines/postgres.md.
    const sql = postgres(url, { max, onnotice: () => undefined, fetch_types: false });
    return opened(sql, postgresClientFor(sql), () => sql.end({ timeout: 1 }));
  },
};
