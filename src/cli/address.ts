import type { Options } from './arguments.ts';
import { keepSecret } from './output/output.ts';
import { readStoreSettings, type StoreSettings } from './store-settings.ts';

/** Where the locks are, and where the address came from. */
export type Address =
  | {
      readonly kind: 'given';
      readonly from: 'option' | 'environment';
      readonly url: string;
      readonly settings: StoreSettings;
    }
  /** No address was given: the file of this user on this machine. */
  | { readonly kind: 'here'; readonly settings: StoreSettings };

const VARIABLE = 'HOLDFAST_URL';

export function readAddress(options: Options, env: NodeJS.ProcessEnv): Address {
  const option = options.get('url');
  if (option !== undefined) return addressAt('option', option, options);
  const variable = env[VARIABLE];
  if (variable === undefined || variable === '')
    return { kind: 'here', settings: readStoreSettings(options, 'sqlite:') };
  return addressAt('environment', variable, options);
}

function addressAt(from: 'option' | 'environment', url: string, options: Options): Address {
  return { kind: 'given', from, url, settings: readStoreSettings(options, url) };
}

/** The passwords of an address, as written and decoded. `URL` cannot parse an address of several servers. */
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
 * Keeps the passwords of the address out of all output. A password on the command line was visible in the list of
 * processes until now; setting the title of the process removes it. Answers whether there is something to warn of.
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
