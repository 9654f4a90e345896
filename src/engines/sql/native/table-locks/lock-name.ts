import { createHash } from 'node:crypto';

/** Names that both MySQL and MariaDB keep apart: MySQL takes 64 characters and ignores their case. */
const PORTABLE = /^[\x21-\x40\x5b-\x7e]{1,64}$/;
const HASHED = 'holdfast:';

/**
 * The server's name of a named lock: the name itself if it has up to 64 printable ASCII characters without capitals,
 * else `holdfast:` and the first 40 hexadecimal digits of its SHA-256. Names that begin with `holdfast:` are hashed as
 * well.
 */
export function lockName(name: string): string {
  if (PORTABLE.test(name) && !name.startsWith(HASHED)) return name;
  return `${HASHED}${createHash('sha256').update(name, 'utf8').digest('hex').slice(0, 40)}`;
}
