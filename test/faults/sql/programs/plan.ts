import type { Synchronizers } from '../../../../src/index.ts';

/** Which database, and how long a crashed holder keeps others out. */
export interface DatabasePlan {
  readonly engine: 'postgres' | 'mysql';
  readonly url: string;
  readonly renewalLeaseMs: number;
}

type Opened = Synchronizers & { readonly end: () => Promise<void> };

/** The engine over a pool as users make one, and how both end. Imports only what it needs: such a process lives for seconds. */
export function openDatabase({ engine, ...plan }: DatabasePlan): Promise<Opened> {
  return engine === 'postgres' ? openPostgres(plan) : openMysql(plan);
}

type Plan = Omit<DatabasePlan, 'engine'>;

async function openPostgres({ url, renewalLeaseMs }: Plan): Promise<Opened> {
  const { postgres } = await import('../../../../src/engines/postgres/index.ts');
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: url, max: 3 });
  // A connection that breaks while no client uses it is replaced by the next one.
  pool.on('error', () => undefined);
  const locks = postgres({ pool, renewalLeaseMs });
  return { ...locks, end: () => locks.close().then(() => pool.end()) };
}

async function openMysql({ url, renewalLeaseMs }: Plan): Promise<Opened> {
  const { mysql } = await import('../../../../src/engines/mysql/index.ts');
  const { createPool } = await import('mysql2/promise');
  const pool = createPool({ uri: url, connectionLimit: 3 });
  const locks = mysql({ pool, renewalLeaseMs });
  return { ...locks, end: () => locks.close().then(() => pool.end()) };
}
