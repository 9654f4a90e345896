import type { Random } from '../../../../spi/clock.ts';

const DEFAULT_PORT = 2181;
const HIGHEST_PORT = 65_535;

/** Where a server listens. */
export interface ZooKeeperServer {
  readonly host: string;
  readonly port: number;
}

/** A parsed connection string: `host:2181,[::1]:2182/chroot`. */
export interface ConnectionString {
  readonly servers: readonly ZooKeeperServer[];
  /** Without a slash at its end; empty for the root. */
  readonly chroot: string;
}

export function parseConnectionString(text: string): ConnectionString {
  const slash = text.indexOf('/');
  const hosts = slash === -1 ? text : text.slice(0, slash);
  const chroot = slash === -1 ? '' : text.slice(slash).replace(/\/$/, '');
  if (chroot.includes('//')) throw new TypeError(`the chroot "${chroot}" has an empty part`);
  return { servers: hosts.split(',').map((each) => parseServer(each.trim())), chroot };
}

function parseServer(text: string): ZooKeeperServer {
  const found = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(text);
  const host = found?.[1] ?? found?.[2];
  const port = found?.[3] === undefined ? DEFAULT_PORT : Number(found[3]);
  if (host === undefined || port < 1 || port > HIGHEST_PORT)
    throw new TypeError(
      `${shownServer(text)} is not the address of a server; expected host:port or [IPv6]:port`,
    );
  return { host, port };
}

/** Not quoted where it could be a whole address, which may contain a password. */
function shownServer(text: string): string {
  return text.includes('@') || text.includes('?') ? 'what was given' : `"${text}"`;
}

/**
 * The servers in a random order, repeated. If every client of a fleet began with the first server, that one would carry the
 * whole load.
 */
export class ServerList {
  readonly #servers: readonly ZooKeeperServer[];
  #tried = 0;

  constructor(servers: readonly ZooKeeperServer[], random: Random) {
    const shuffled = [...servers];
    for (let last = shuffled.length - 1; last > 0; last -= 1) {
      const other = Math.floor(random.fraction() * (last + 1));
      [shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!];
    }
    this.#servers = shuffled;
  }

  get size(): number {
    return this.#servers.length;
  }

  next(): ZooKeeperServer {
    const server = this.#servers[this.#tried % this.#servers.length]!;
    this.#tried += 1;
    return server;
  }
}
