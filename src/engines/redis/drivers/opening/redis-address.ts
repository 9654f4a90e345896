import {
  engineForms,
  type ParameterForm,
  type ParameterValues,
  readQuery,
} from '../../../../kernels/address/read-query.ts';
import { readTlsFiles, tlsFileForms, type TlsFiles } from '../../../../kernels/address/read-tls-files.ts';
import { argumentTypeError } from '../../../../spi/errors.ts';
import type { RedisSettings } from '../../redis-options.ts';

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** Where a Redis is, and how to log in. */
export type RedisAddress = SingleAddress | SentinelAddress | ClusterAddress;

interface CommonAddress {
  /** What the scheme names. Both are spoken to alike. */
  readonly server: 'redis' | 'valkey';
  readonly hosts: readonly [HostAndPort, ...HostAndPort[]];
  readonly tls: boolean;
  /** What the address says about TLS: files, the name to expect in the certificate, and whether to check it. */
  readonly tlsOptions: RedisTlsOptions;
  /** The family of the addresses of its hosts; 0 is any. Undefined is what the client does by itself. */
  readonly family: 0 | 4 | 6 | undefined;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
  /** The settings of the engine that the address gives. */
  readonly settings: RedisSettings;
}

/** Options of `tls.connect`. */
export interface RedisTlsOptions extends TlsFiles {
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

interface SingleAddress extends CommonAddress {
  readonly topology: 'single';
}

interface SentinelAddress extends CommonAddress {
  readonly topology: 'sentinel';
  readonly masterName: string;
}

interface ClusterAddress extends CommonAddress {
  readonly topology: 'cluster';
}

const addressForms = [
  'redis://[user:password@]host[:port][/database][?parameters]',
  'redis-sentinel://[user:password@]host[:port],…/master-name[/database][?parameters]',
  'redis-cluster://[user:password@]host[:port],…[?parameters]',
].join(', ');

/** The settings of the engine that an address may give: all but `replicas`, which is an object. */
const settingForms = {
  ...engineForms,
  keyPrefix: 'text',
  commandTimeoutMs: 'number',
  pubSub: ['auto', 'plain', 'sharded'],
  fenceRetentionMs: 'number',
  fairLockWaitMs: 'number',
} as const satisfies Record<keyof Omit<RedisSettings, 'replicas'>, ParameterForm>;

const tlsForms = { ...tlsFileForms, servername: 'text', rejectUnauthorized: 'switch' } as const;

const forms = { ...settingForms, db: 'number', family: ['0', '4', '6'], ...tlsForms } as const;

const pattern =
  /^(redis|valkey)(s?)(?:-(sentinel|cluster))?:\/\/(?:([^@/?#]*)@)?([^@/?#]+)\/?([^?#]*)(?:\?([^#]*))?$/;
const hostPattern = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/;

/** Parses the address of a Redis. No error quotes any of it: it may contain a password. */
export function parseRedisAddress(url: string): RedisAddress {
  const [, scheme, s, kind, credentials, hostList = '', path = '', query = ''] =
    pattern.exec(url) ?? malformed();
  const topology = kind === 'sentinel' || kind === 'cluster' ? kind : 'single';
  const [first = malformed(), ...others] = hostList.split(',').map((host) => parseHost(host, topology));
  if (topology === 'single' && others.length > 0) malformed();
  const parts = path === '' ? [] : path.split('/').map(decode);
  const masterName = topology === 'sentinel' ? parts.shift() : undefined;
  const { db, family, ca, cert, key, servername, rejectUnauthorized, ...settings } = readQuery(
    query,
    forms,
    'redis',
  );
  if (db !== undefined && parts.length > 0)
    refuse('the address gives the database twice, in its path and as db.');
  const common = {
    server: scheme === 'valkey' ? ('valkey' as const) : ('redis' as const),
    hosts: [first, ...others] as const,
    tls: s === 's',
    tlsOptions: readTls({ ca, cert, key, servername, rejectUnauthorized }, s === 's'),
    family: family === undefined ? undefined : (Number(family) as 0 | 4 | 6),
    ...parseCredentials(credentials),
    database: parseDatabase(db === undefined ? parts : [String(db)], topology),
    settings,
  };
  if (topology !== 'sentinel') return { ...common, topology };
  return { ...common, topology, masterName: masterName || malformed() };
}

function parseHost(text: string, topology: RedisAddress['topology']): HostAndPort {
  const [, six, name, port] = hostPattern.exec(text) ?? malformed();
  return {
    host: six ?? name ?? malformed(),
    port: port === undefined ? (topology === 'sentinel' ? 26_379 : 6_379) : Number(port),
  };
}

function parseCredentials(text: string | undefined): Pick<RedisAddress, 'username' | 'password'> {
  if (text === undefined) return { username: undefined, password: undefined };
  const colon = text.indexOf(':');
  const [username, password] = colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
  return { username: decode(username) || undefined, password: decode(password) || undefined };
}

/** A cluster has one database only. */
function parseDatabase(parts: readonly string[], topology: RedisAddress['topology']): number {
  const [text = '0', ...more] = parts;
  if (more.length > 0 || !/^\d{1,5}$/.test(text)) malformed();
  if (topology === 'cluster' && Number(text) !== 0) malformed();
  return Number(text);
}

/** Refuses what would be ignored: an address that names a certificate means an encrypted connection. */
function readTls(
  given: { readonly [K in keyof typeof tlsForms]: ParameterValues<typeof tlsForms>[K] | undefined },
  tls: boolean,
): RedisTlsOptions {
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (!tls && names.length > 0)
    refuse(
      `${names.join(', ')} in the address needs TLS: rediss in place of redis, valkeys in place of valkey.`,
    );
  const { servername, rejectUnauthorized, ...files } = given;
  return {
    ...readTlsFiles(files, 'redis'),
    ...(servername !== undefined && { servername }),
    ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return malformed();
  }
}

function malformed(): never {
  refuse(
    `the address of a Redis has one of these forms, with rediss instead of redis for TLS, and valkey or valkeys for a Valkey: ${addressForms}`,
  );
}

function refuse(what: string): never {
  throw argumentTypeError(`connect: ${what}`, { resource: 'connect', engine: 'redis' });
}
