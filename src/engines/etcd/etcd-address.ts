import { engineForms, readQuery } from '../../kernels/address/read-query.ts';
import { readTlsFiles, tlsFileForms } from '../../kernels/address/read-tls-files.ts';
import { argumentTypeError } from '../../spi/errors.ts';
import { parseEndpoints } from './client/transport/endpoints.ts';
import type { EtcdOptions } from './etcd-options.ts';

const FORM =
  'etcd://[user:password@]host[:2379],…[?sessionMs=…&connectMs=…&keyPrefix=…], or etcds:// for TLS, which also knows ca, cert and key (files)';

const pattern = /^etcd(s?):\/\/(?:([^@/?#]*)@)?([^@/?#]+)\/?(?:\?([^#]*))?$/;

const forms = {
  ...engineForms,
  sessionMs: 'number',
  connectMs: 'number',
  keyPrefix: 'text',
  ...tlsFileForms,
} as const;

/** Parses the address of a cluster. No error quotes any of it: it may contain a password. */
export function parseEtcdAddress(url: string): EtcdOptions {
  const [, s, credentials, endpoints = '', query = ''] = pattern.exec(url) ?? malformed();
  const { ca, cert, key, ...settings } = readQuery(query, forms, 'etcd');
  try {
    parseEndpoints(endpoints);
  } catch {
    malformed();
  }
  const files = { ca, cert, key };
  if (s !== 's' && Object.values(files).some((path) => path !== undefined)) malformed();
  return {
    endpoints,
    ...settings,
    ...(credentials !== undefined && { auth: userIn(credentials) }),
    ...(s === 's' && { tls: readTlsFiles(files, 'etcd') }),
  };
}

function userIn(text: string) {
  const colon = text.indexOf(':');
  if (colon < 1) malformed();
  return { user: decode(text.slice(0, colon)), password: decode(text.slice(colon + 1)) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return malformed();
  }
}

const subject = { resource: 'connect', engine: 'etcd' };

function malformed(): never {
  throw argumentTypeError(`connect: the address of an etcd has this form: ${FORM}`, subject);
}
