import { sayingOf } from '../../requests/sayings.ts';
import { readFirstWords } from './read-first-words.ts';
import type { HostAndPort } from './redis-address.ts';
import { speaksTls } from './speaks-tls.ts';

const NO_TLS =
  'the server speaks no TLS on this port. Use redis:// instead of rediss:// (a client without `tls`), or the port that its tls-port names.';
const ONLY_TLS =
  'the server speaks TLS on this port. Use rediss:// instead of redis:// (a client with `tls`).';

/** Finds out what a server says or shows to a new connection that explains why a client does not get ready on one. */
export async function findTrouble(where: HostAndPort, tls: boolean): Promise<Error | undefined> {
  const words = await readFirstWords(where, tls);
  const said = words.replace(/^-/, '');
  if (sayingOf(said, 'single')?.retryable === true) return new Error(said);
  if (tls && /^[+-]/.test(words)) return new Error(NO_TLS);
  if (!tls && words === '' && (await speaksTls(where))) return new Error(ONLY_TLS);
  return undefined;
}

/** Whether the client and the port differ about TLS: no later attempt goes better. */
export function isAboutTls(message: string): boolean {
  return message === NO_TLS || message === ONLY_TLS;
}
