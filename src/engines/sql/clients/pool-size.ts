/** How many connections a pool has unless its user says otherwise: pg, postgres.js, mysql2 and mariadb agree. */
const USUAL_POOL_SIZE = 10;

/** The size of a pool that may not tell it, as that of mariadb and whatever is behind a function. */
export function poolSize(told?: unknown): number {
  return typeof told === 'number' && told >= 1 ? told : USUAL_POOL_SIZE;
}
