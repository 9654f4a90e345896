import type { SqlFailure } from '../../sql-client.ts';

/** There was no connection yet, so nothing was sent. */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENOENT',
  'EADDRNOTAVAIL',
]);

/** There was a connection, and what was on its way may have arrived. */
const UNKNOWN = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ECONNABORTED', 'ESOCKET']);

/** What an error of the network means, by the system's code. */
export function systemFailure(code: string | undefined): SqlFailure | undefined {
  if (code === undefined) return undefined;
  if (UNREACHABLE.has(code)) return 'unreachable';
  return UNKNOWN.has(code) ? 'unknown' : undefined;
}
