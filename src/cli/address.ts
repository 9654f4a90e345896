import type { Options } from './arguments.ts';
import { keepSecret } from './output/output.ts';

/** Where the locks are, and who said so. */
export type Address =
  | { readonly kind: 'given'; readonly from: 'option' | 'environment'; readonly url: string }
  /** No address was given: the file of this user on this machine. */
  | { readonly kind: 'here' };

const VARIABLE = 'HOLDFAST_URL';

export function readAddress(options: Options, env: NodeJS.ProcessEnv): Address {
  const option = options.get('url');
  if (option !== undefined) return { kind: 'given', from: 'option', url: option };
  const variable = env[VARIABLE];
  if (variable === undefined || variable === '') return { kind: 'here' };
  return { kind: 'given', from: 'environment', url: variable };
}

/** The passwords of an address, as written and as meant. An address of several servers is none to `URL`. */
export function passwordsOf(url: string): readonly string[] {
  const inAuthority = /^[a-z][a-z0-9+-]*:\/\/[^/?#@]*?:([^/?#]*)@/i.exec(url)?.[1];
  const inQuery = [...url.matchAll(/[?&](?:password|pass|pwd|auth)=([^&#]*)/gi)].map(([, value]) => value);
  return [inAuthority, ...inQuery].flatMap((written) =>
    written === undefined || written === '' ? [] : [...new Set([written, decoded(written)])],
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Hides what must not be seen. A user of this machine who looked at the list of processes in time saw a password on the
 * command line; from now on it is not in there. Answers whether there is something to warn of.
 */
export function hidePasswords(address: Address, verb: string): boolean {
  if (address.kind === 'here') return false;
  const passwords = passwordsOf(address.url);
  for (const password of passwords) keepSecret(password);
  if (passwords.length === 0 || address.from === 'environment') return false;
  process.title = `holdfast ${verb}`;
  return true;
}

export const PASSWORD_WARNING = `the password of --url could be seen in the list of processes. Put the address into the environment variable ${VARIABLE}.`;
