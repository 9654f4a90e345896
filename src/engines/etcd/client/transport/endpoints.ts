import type { Random } from '../../../../spi/clock.ts';

const DEFAULT_PORT = 2379;
const HIGHEST_PORT = 65_535;

/** Where a member listens. */
export interface EtcdEndpoint {
  readonly host: string;
  readonly port: number;
}

/** Parses `host:2379,[::1]:2380`. */
export function parseEndpoints(text: string): readonly EtcdEndpoint[] {
  return text.split(',').map((each) => parseEndpoint(each.trim()));
}

function parseEndpoint(text: string): EtcdEndpoint {
  const found = /^(?:\[([^\]]+)\]|([^:[\]/@?]+))(?::(\d+))?$/.exec(text);
  const host = found?.[1] ?? found?.[2];
  const port = found?.[3] === undefined ? DEFAULT_PORT : Number(found[3]);
  if (host === undefined || port < 1 || port > HIGHEST_PORT) {
    // Not quoted where it could be a whole address, which may contain a password.
    const shown = /[@?/]/.test(text) ? 'what was given' : `"${text}"`;
    throw new TypeError(`${shown} is not the endpoint of a member; expected host:port or [IPv6]:port`);
  }
  return { host, port };
}

/**
 * The endpoints in a random order, again and again. If every client of a fleet began with the first one, that member would carry
 * the whole load.
 */
export class EndpointRound {
  readonly #endpoints: readonly EtcdEndpoint[];
  #tried = 0;

  constructor(endpoints: readonly EtcdEndpoint[], random: Random) {
    const order = endpoints.map((endpoint) => ({ endpoint, at: random.fraction() }));
    this.#endpoints = order.toSorted((one, other) => one.at - other.at).map(({ endpoint }) => endpoint);
  }

  get size(): number {
    return this.#endpoints.length;
  }

  next(): EtcdEndpoint {
    return this.#endpoints[this.#tried++ % this.#endpoints.length]!;
  }
}
