import type { Options } from './arguments.ts';
import { UsageError } from './usage-error.ts';

/** The settings of a store that have an option: programs that share its locks must have set the same. */
export interface StoreSettings {
  readonly keyPrefix?: string;
  readonly tablePrefix?: string;
  readonly schema?: string;
  readonly namespace?: string;
  /** What this client calls itself to others. */
  readonly name?: string;
}

const PREFIXED = /^(?:redis|valkey|etcd)/u;
const SERVER = /^(?:postgres|postgresql|mysql|mariadb):/u;
const TABLES = /^(?:sqlite|postgres|postgresql|mysql|mariadb):/u;
const ZOOKEEPER = /^zookeepers?:/u;

/** Each option, the setting behind it, and the addresses that have it. */
const OPTIONS: readonly {
  readonly option: string;
  readonly setting: keyof StoreSettings;
  readonly of: RegExp;
  readonly where: string;
}[] = [
  { option: 'key-prefix', setting: 'keyPrefix', of: PREFIXED, where: 'Redis and etcd' },
  { option: 'table-prefix', setting: 'tablePrefix', of: TABLES, where: 'SQLite, PostgreSQL and MySQL' },
  { option: 'schema', setting: 'schema', of: SERVER, where: 'PostgreSQL and MySQL' },
  { option: 'namespace', setting: 'namespace', of: ZOOKEEPER, where: 'ZooKeeper' },
  { option: 'name', setting: 'name', of: /^/u, where: 'every store' },
];

/**
 * The settings that were given by options. One that the store does not have is refused: a prefix that is dropped silently means other
 * locks than those of the fleet.
 */
export function readStoreSettings(options: Options, url: string): StoreSettings {
  const given = OPTIONS.flatMap((one) => {
    const value = options.get(one.option);
    return value === undefined ? [] : [{ ...one, value }];
  });
  const foreign = given.find(({ of }) => !of.test(url));
  if (foreign !== undefined)
    throw new UsageError(
      `--${foreign.option} is a setting of ${foreign.where}, and the address is of another store.`,
    );
  return Object.fromEntries(given.map(({ setting, value }) => [setting, value]));
}
