import { createHash } from 'node:crypto';

/**
 * The number by which PostgreSQL knows an advisory lock: the first eight bytes of the SHA-256 of its name, most
 * significant byte first, as a signed number. Any other program that computes the number the same way shares the lock.
 */
export function advisoryKey(name: string): bigint {
  return createHash('sha256').update(name, 'utf8').digest().readBigInt64BE(0);
}
