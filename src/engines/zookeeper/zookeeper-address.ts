import { engineForms, readQuery } from '../../kernels/address/read-query.ts';
import { readTlsFiles, tlsFileForms } from '../../kernels/address/read-tls-files.ts';
import { argumentTypeError } from '../../spi/errors.ts';
import { creatorAccess, openAccess } from './client/protocol/access-rule.ts';
import { parseConnectionString } from './client/session/server-list.ts';
import type { ZooKeeperOptions } from './zookeeper-options.ts';

const FORM =
  'zookeeper://[user:password@]host[:2181],…[/chroot][?sessionMs=…&connectMs=…&namespace=…&scheme=digest|sasl&access=open|creator], or zookeepers:// for TLS, which also knows ca, cert and key (files)';

const pattern = /^zookeeper(s?):\/\/(?:([^@/?#]*)@)?([^@/?#]+)(\/[^?#]*)?(?:\?([^#]*))?$/;

const forms = {
  ...engineForms,
  sessionMs: 'number',
  connectMs: 'number',
  namespace: 'text',
  scheme: ['digest', 'sasl'],
  access: ['open', 'creator'],
  ...tlsFileForms,
} as const;

/** Parses the address of an ensemble. No error quotes any of it: it may contain a password. */
export function parseZooKeeperAddress(url: string): ZooKeeperOptions {
  const [, s, credentials, hosts = '', chroot = '', query = ''] = pattern.exec(url) ?? malformed();
  const { scheme, access, ca, cert, key, ...settings } = readQuery(query, forms, 'zookeeper');
  const servers = `${hosts}${decode(chroot)}`;
  try {
    parseConnectionString(servers);
  } catch {
    malformed();
  }
  const files = { ca, cert, key };
  if (s !== 's' && Object.values(files).some((path) => path !== undefined)) malformed();
  return {
    servers,
    ...settings,
    ...credentialsIn(credentials, scheme ?? 'digest'),
    ...(access !== undefined && { access: access === 'creator' ? creatorAccess : openAccess }),
    ...(s === 's' && { tls: readTlsFiles(files, 'zookeeper') }),
  };
}

/** The digest of ZooKeeper separates user and password by a colon: a user with a colon would be another user. */
function credentialsIn(
  text: string | undefined,
  scheme: 'digest' | 'sasl',
): Pick<ZooKeeperOptions, 'auth' | 'sasl'> {
  if (text === undefined) return scheme === 'sasl' ? malformed() : {};
  const colon = text.indexOf(':');
  if (colon < 1) malformed();
  const [user, password] = [decode(text.slice(0, colon)), decode(text.slice(colon + 1))];
  if (scheme === 'sasl') return { sasl: { user, password } };
  return user.includes(':') ? malformed() : { auth: [{ scheme, secret: `${user}:${password}` }] };
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
