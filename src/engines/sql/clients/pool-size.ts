/** The default pool size of pg, postgres.js, mysql2 and mariadb alike. */
const USUAL_POOL_SIZE = 10;

/** The size of a pool, or the usual one where the client does not show it: mariadb, and query functions. */
export function poolSize(told?: unknown): number {
  return typeof told === 'number' && told >= 1 ? told : USUAL_POOL_SIZE;
}
