import { readFileSync } from 'node:fs';
import { argumentTypeError } from '../../spi/errors.ts';
import { creatorAccess, openAccess } from './client/protocol/access-rule.ts';
import { parseConnectionString } from './client/session/server-list.ts';
import type { ZooKeeperOptions } from './zookeeper-options.ts';

const FORM =
  'zookeeper://[user:password@]host[:2181],…[/chroot][?sessionMs=…&connectMs=…&namespace=…&scheme=digest|sasl&access=open|creator], or zookeepers:// for TLS, which also knows ca, cert and key (files)';

const pattern = /^zookeeper(s?):\/\/(?:([^@/?#]*)@)?([^@/?#]+)(\/[^?#]*)?(?:\?([^#]*))?$/;

const PARAMETERS = new Set(['sessionMs', 'connectMs', 'namespace', 'scheme', 'access', 'ca', 'cert', 'key']);
const FILES = ['ca', 'cert', 'key'] as const;

/** Parses the address of an ensemble. No error quotes any of it: it may contain a password. */
export function parseZooKeeperAddress(url: string): ZooKeeperOptions {
  const [, s, credentials, hosts = '', chroot = '', query = ''] = pattern.exec(url) ?? malformed();
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) if (!PARAMETERS.has(name)) malformed();
  const servers = `${hosts}${decode(chroot)}`;
  try {
    parseConnectionString(servers);
  } catch {
    malformed();
  }
  const namespace = parameters.get('namespace');
  return {
    servers,
    ...numbersIn(parameters),
    ...(namespace !== null && { namespace }),
    ...credentialsIn(credentials, parameters.get('scheme') ?? 'digest'),
    ...accessIn(parameters.get('access')),
    ...(s === 's' ? { tls: filesIn(parameters) } : withoutFiles(parameters)),
  };
}

function numbersIn(parameters: URLSearchParams): Pick<ZooKeeperOptions, 'sessionMs' | 'connectMs'> {
  const numbers: Record<string, number> = {};
  for (const name of ['sessionMs', 'connectMs']) {
    const text = parameters.get(name);
    if (text === null) continue;
    numbers[name] = /^\d{1,9}$/.test(text) ? Number(text) : malformed();
  }
  return numbers;
}

/** The digest of ZooKeeper separates user and password by a colon: a user with a colon would be another user. */
function credentialsIn(text: string | undefined, scheme: string): Pick<ZooKeeperOptions, 'auth' | 'sasl'> {
  if (scheme !== 'digest' && scheme !== 'sasl') malformed();
  if (text === undefined) return scheme === 'sasl' ? malformed() : {};
  const colon = text.indexOf(':');
  if (colon < 1) malformed();
  const [user, password] = [decode(text.slice(0, colon)), decode(text.slice(colon + 1))];
  if (scheme === 'sasl') return { sasl: { user, password } };
  return user.includes(':') ? malformed() : { auth: [{ scheme, secret: `${user}:${password}` }] };
}

function accessIn(text: string | null): Pick<ZooKeeperOptions, 'access'> {
  if (text === null) return {};
  if (text === 'creator') return { access: creatorAccess };
  return text === 'open' ? { access: openAccess } : malformed();
}

function filesIn(parameters: URLSearchParams): Record<string, Buffer> {
  const files: Record<string, Buffer> = {};
  for (const name of FILES) {
    const path = parameters.get(name);
    if (path !== null) files[name] = readFile(path, name);
  }
  return files;
}

function withoutFiles(parameters: URLSearchParams): Record<string, never> {
  return FILES.some((name) => parameters.has(name)) ? malformed() : {};
}

function readFile(path: string, name: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code = 'an error' } = error as NodeJS.ErrnoException;
    throw argumentTypeError(
      `connect: the file that the address names as ${name} cannot be read (${code}).`,
      subject,
    );
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return malformed();
  }
}

const subject = { resource: 'connect', engine: 'zookeeper' };

function malformed(): never {
  throw argumentTypeError(`connect: the address of a ZooKeeper has this form: ${FORM}`, subject);
}
