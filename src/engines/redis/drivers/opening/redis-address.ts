import { argumentTypeError } from '../../../../spi/errors.ts';

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** Where a Redis is, and how to log in. */
export type RedisAddress = SingleAddress | SentinelAddress | ClusterAddress;

interface CommonAddress {
  readonly hosts: readonly [HostAndPort, ...HostAndPort[]];
  readonly tls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
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

const forms = [
  'redis://[user:password@]host[:port][/database]',
  'redis-sentinel://[user:password@]host[:port],…/master-name[/database]',
  'redis-cluster://[user:password@]host[:port],…',
].join(', ');

const pattern = /^redis(s?)(?:-(sentinel|cluster))?:\/\/(?:([^@/?#]*)@)?([^@/?#]+)\/?([^?#]*)$/;
const hostPattern = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/;

/** Parses the address of a Redis. No error quotes any of it: it may contain a password. */
export function parseRedisAddress(url: string): RedisAddress {
  const [, s, kind, credentials, hostList = '', path = ''] = pattern.exec(url) ?? malformed();
  const topology = kind === 'sentinel' || kind === 'cluster' ? kind : 'single';
  const [first = malformed(), ...others] = hostList.split(',').map((host) => parseHost(host, topology));
  if (topology === 'single' && others.length > 0) malformed();
  const parts = path === '' ? [] : path.split('/').map(decode);
  const masterName = topology === 'sentinel' ? parts.shift() : undefined;
  const common = {
    hosts: [first, ...others] as const,
    tls: s === 's',
    ...parseCredentials(credentials),
    database: parseDatabase(parts, topology),
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

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return malformed();
  }
}

function malformed(): never {
  throw argumentTypeError(
    `connect: the address of a Redis has one of these forms, with rediss instead of redis for TLS: ${forms}`,
    { resource: 'connect', engine: 'redis' },
  );
}
