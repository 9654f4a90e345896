import { argumentRangeError } from '../../../spi/errors.ts';

/** How many connections a pool of ours may have at most. More would be the work of something in front of the database. */
const MOST_CONNECTIONS = 1000;
const PARAMETER = 'poolSize';

/** For pools that are opened by an address, and so are ours. */
export interface PoolSizeSetting {
  /**
   * How many connections are opened at most: 10 without it. In an address it is `?poolSize=20`; what is given here wins.
   */
  readonly poolSize?: number;
}

/** What a pool of ours is opened with. */
export interface PoolSettings {
  readonly poolSize: number | undefined;
  /** The server ends a statement on any of its connections after so long; undefined for no limit. */
  readonly limitMs: number | undefined;
}

/** The address without what is meant for us, and the size of the pool if one of the two says it. */
export function readPoolSize(
  engine: string,
  url: string,
  given: number | undefined,
): { readonly url: string; readonly poolSize: number | undefined } {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const told = parsed?.searchParams.get(PARAMETER) ?? undefined;
  if (parsed === undefined || told === undefined) return { url, poolSize: checkedPoolSize(engine, given) };
  // The clients would take it for a setting of the server.
  parsed.searchParams.delete(PARAMETER);
  return { url: parsed.href, poolSize: checkedPoolSize(engine, given ?? Number(told)) };
}

function checkedPoolSize(engine: string, poolSize: number | undefined): number | undefined {
  if (poolSize === undefined) return undefined;
  if (Number.isInteger(poolSize) && poolSize >= 1 && poolSize <= MOST_CONNECTIONS) return poolSize;
  throw argumentRangeError(
    `connect: poolSize must be a whole number from 1 to ${MOST_CONNECTIONS}, not ${String(poolSize)}.`,
    { resource: 'connect', engine },
  );
}
