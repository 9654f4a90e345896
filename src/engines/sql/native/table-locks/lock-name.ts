import { createHash } from 'node:crypto';

/** What MySQL and MariaDB both tell apart: MySQL takes 64 characters and no notice of their case. */
const PORTABLE = /^[\x21-\x40\x5b-\x7e]{1,64}$/;
const HASHED = 'holdfast:';

/**
 * The name by which the server knows a named lock: itself if it is up to 64 printable characters of ASCII without capitals,
 * else `holdfast:` and the first 40 hexadecimal digits of its SHA-256. Names that look like such are hashed as well.
 */
export function lockName(name: string): string {
  if (PORTABLE.test(name) && !name.startsWith(HASHED)) return name;
  return `${HASHED}${createHash('sha256').update(name, 'utf8').digest('hex').slice(0, 40)}`;
}
