import { argumentRangeError } from '../../../spi/errors.ts';

/** How many connections a pool of ours may have at most. More is the job of a pooler in front of the database. */
const MOST_CONNECTIONS = 1000;

/** For pools that we open by an address. */
export interface PoolSizeSetting {
  /** How many connections to open at most: 10 by default. In an address it is `?poolSize=20`; the option wins. */
  readonly poolSize?: number;
}

/** What a pool of ours is opened with. */
export interface PoolSettings {
  readonly poolSize: number | undefined;
  /** The time limit of a statement in the server; undefined for none. */
  readonly limitMs: number | undefined;
}

/** Refuses a size that no pool can have. */
export function checkedPoolSize(engine: string, poolSize: number | undefined): number | undefined {
  if (poolSize === undefined) return undefined;
  if (Number.isInteger(poolSize) && poolSize >= 1 && poolSize <= MOST_CONNECTIONS) return poolSize;
  throw argumentRangeError(
    `connect: poolSize must be a whole number from 1 to ${MOST_CONNECTIONS}, not ${String(poolSize)}.`,
    { resource: 'connect', engine },
  );
}

/** The default pool size of pg, postgres.js, mysql2 and mariadb alike. */
const USUAL_POOL_SIZE = 10;

/** The size of a pool, or the usual one where the client does not show it: mariadb, and query functions. */
export function sizeOfPool(told?: unknown): number {
  return typeof told === 'number' && told >= 1 ? told : USUAL_POOL_SIZE;
}
