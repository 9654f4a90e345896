import { NO_TLS, ONLY_TLS, sayingOf } from '../../requests/sayings.ts';
import { readFirstWords } from './read-first-words.ts';
import type { HostAndPort } from './redis-address.ts';
import { speaksTls } from './speaks-tls.ts';

/** Finds out what a server says or shows to a new connection that explains why a client does not get ready on one. */
export async function findTrouble(where: HostAndPort, tls: boolean): Promise<Error | undefined> {
  const words = await readFirstWords(where, tls);
  const said = words.replace(/^-/, '');
  if (sayingOf(said, 'single')?.retryable === true) return new Error(said);
  if (tls && /^[+-]/.test(words)) return new Error(NO_TLS);
  if (!tls && words === '' && (await speaksTls(where))) return new Error(ONLY_TLS);
  return undefined;
}
