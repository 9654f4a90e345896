import { mysql } from '../../../../src/engines/mysql/index.ts';
import { postgres } from '../../../../src/engines/postgres/index.ts';
import type { Synchronizers } from '../../../../src/index.ts';
import { createPool } from 'mysql2/promise';
import pg from 'pg';

/** Which database, and how long a crashed holder keeps others out. */
export interface DatabasePlan {
  readonly engine: 'postgres' | 'mysql';
  readonly url: string;
  readonly renewalLeaseMs: number;
}

/** The engine over a pool as users make one, and how both end. */
export function openDatabase({ engine, url, renewalLeaseMs }: DatabasePlan): Synchronizers & {
  readonly end: () => Promise<void>;
} {
  if (engine === 'postgres') {
    const pool = new pg.Pool({ connectionString: url, max: 3 });
    // A connection that breaks while nobody uses it is replaced by the next one.
    pool.on('error', () => undefined);
    const locks = postgres({ pool, renewalLeaseMs });
    return { ...locks, end: () => locks.close().then(() => pool.end()) };
  }
  const pool = createPool({ uri: url, connectionLimit: 3 });
  const locks = mysql({ pool, renewalLeaseMs });
  return { ...locks, end: () => locks.close().then(() => pool.end()) };
}
