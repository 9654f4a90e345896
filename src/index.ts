import type { MysqlConnectSettings, MysqlSynchronizers } from './engines/mysql/index.ts';
import type { PostgresConnectSettings, PostgresSynchronizers } from './engines/postgres/index.ts';
import type { RedisSettings, RedisSynchronizers } from './engines/redis/index.ts';
import type { SqliteSettings, SqliteSynchronizers } from './engines/sqlite/index.ts';
import type { EtcdSettings, EtcdSynchronizers } from './engines/etcd/index.ts';
import type { ZooKeeperSettings, ZooKeeperSynchronizers } from './engines/zookeeper/index.ts';
import { argumentTypeError } from './spi/errors.ts';
import type { Lock, Locks, Synchronizers } from './spi/synchronizers.ts';

export * from './spi/errors.ts';
export type * from './spi/synchronizers.ts';
export type * from './spi/engine/inspector.ts';
export type { Traits } from './spi/engine/traits.ts';
export type { Clock, Random, Timer } from './spi/clock.ts';
export { multiLock } from './synchronizers/composed/multi-lock.ts';
export { quorumLock } from './synchronizers/composed/quorum-lock.ts';

/** The settings of `connect` for an address that is only known at run time: those of its engine. An engine refuses the others. */
export type ConnectSettings =
  | RedisSettings
  | PostgresConnectSettings
  | MysqlConnectSettings
  | SqliteSettings
  | ZooKeeperSettings
  | EtcdSettings;

type Open = (url: string, options: never) => Promise<Synchronizers<never, Lock>>;

const openRedis: Open = async (url, options) =>
  (await import('./engines/redis/connect-redis.ts')).connectRedis(url, options);

const openPostgres: Open = async (url, options) =>
  (await import('./engines/postgres/connect-postgres.ts')).connectPostgres(url, options);

const openMysql: Open = async (url, options) =>
  (await import('./engines/mysql/connect-mysql.ts')).connectMysql(url, options);

const openZooKeeper: Open = async (url, options) =>
  (await import('./engines/zookeeper/connect-zookeeper.ts')).connectZooKeeper(url, options);

const openEtcd: Open = async (url, options) =>
  (await import('./engines/etcd/connect-etcd.ts')).connectEtcd(url, options);

/** Opens the engine of each kind of address. Engines are loaded on demand. */
const openers: Readonly<Record<string, Open>> = {
  'memory:': async (url, options) =>
    (await import('./engines/memory/connect-memory.ts')).connectMemory(url, options),
  'sqlite:': async (url, options) =>
    (await import('./engines/sqlite/connect-sqlite.ts')).connectSqlite(url, options),
  'postgres:': openPostgres,
  'postgresql:': openPostgres,
  'mysql:': openMysql,
  'mariadb:': openMysql,
  'redis:': openRedis,
  'rediss:': openRedis,
  'redis-sentinel:': openRedis,
  'rediss-sentinel:': openRedis,
  'redis-cluster:': openRedis,
  'rediss-cluster:': openRedis,
  'valkey:': openRedis,
  'valkeys:': openRedis,
  'valkey-sentinel:': openRedis,
  'valkeys-sentinel:': openRedis,
  'valkey-cluster:': openRedis,
  'valkeys-cluster:': openRedis,
  'zookeeper:': openZooKeeper,
  'zookeepers:': openZooKeeper,
  'etcd:': openEtcd,
  'etcds:': openEtcd,
};

/**
 * Opens an engine by its address.
 *
 * `memory:` is shared by all callers in this process that connect to the same address, as a server's address would be:
 * `memory:`, `memory:billing`. `sqlite:locks.db` and `sqlite:/var/lib/locks.db` are shared by the processes of this
 * machine. `postgres://user:password@host/database` needs the package `pg` or `postgres`, `mysql://…` needs `mysql2` or
 * `mariadb`. `redis://host:6379`, `redis-sentinel://host:26379,…/master-name` and
 * `redis-cluster://host:6379,…` open connections of their own, with TLS as `rediss:`; they need the package `redis` or
 * `ioredis`. `valkey://…` and `valkeys://…` are the same for Valkey, and use `iovalkey` if it is installed. `zookeeper://host:2181,…/chroot` and, with TLS, `zookeepers://…` need no package,
 * and neither do `etcd://host:2379,…` and `etcds://…`.
 *
 * An address that is only known at run time has the type {@link Locks}: all nine synchronizers and an inspector. ZooKeeper
 * has no permit semaphore, and neither it nor etcd a `raiseFence`: they are missing there, and in the type of `connect('zookeeper://…')`.
 *
 * `connect()` takes the address in `HOLDFAST_URL`. If there is none, the locks are kept in a file of this user, and a line on stderr
 * says that they cover this machine only. On a platform that runs programs on several machines (Kubernetes, ECS, Cloud Run, …), and with
 * `NODE_ENV=production`, that is an error unless `HOLDFAST_REQUIRE_URL=0` asks for it; with `HOLDFAST_REQUIRE_URL=1` it is an
 * error everywhere. `connect(undefined)` is always an error: a variable that should hold the address is not set.
 *
 * @example
 * ```ts
 * import { connect } from 'holdfast';
 *
 * await using locks = await connect('memory:');
 * await locks.lock('migration').run(() => console.log('alone'));
 * ```
 */
export function connect(): Promise<Locks>;
/**
 * Opens Redis by its address: `redis://host:6379`, `redis-sentinel://…`, `redis-cluster://…`, with TLS `rediss://…`; or Valkey, by
 * `valkey://…`, `valkeys://…` and so on.
 */
export function connect(
  url: `redis${string}` | `valkey${string}`,
  options?: RedisSettings,
): Promise<RedisSynchronizers>;
/** Opens PostgreSQL by its address: `postgres://user:password@host/database`. */
export function connect(
  url: `postgres${string}`,
  options?: PostgresConnectSettings,
): Promise<PostgresSynchronizers>;
/** Opens MySQL or MariaDB by its address: `mysql://user:password@host/database`. */
export function connect(
  url: `mysql:${string}` | `mariadb:${string}`,
  options?: MysqlConnectSettings,
): Promise<MysqlSynchronizers>;
/** Opens a file that the processes of this machine share: `sqlite:/var/lib/app/locks.db`. */
export function connect(url: `sqlite:${string}`, options?: SqliteSettings): Promise<SqliteSynchronizers>;
/** Opens ZooKeeper by its address: `zookeeper://host:2181,host2:2181/chroot`. */
export function connect(
  url: `zookeeper${string}`,
  options?: ZooKeeperSettings,
): Promise<ZooKeeperSynchronizers>;
/** Opens etcd by its address: `etcd://host:2379,host2:2379`. */
export function connect(url: `etcd${string}`, options?: EtcdSettings): Promise<EtcdSynchronizers>;
/** Opens an engine by an address that is only known at run time, for example one from the environment. */
export function connect(url: string, options?: ConnectSettings): Promise<Locks>;
export async function connect(
  ...given: readonly [url?: unknown, options?: object]
): Promise<Synchronizers<never, Lock>> {
  // `connect(undefined)` has one argument: a variable that is not set must not mean a file of this machine.
  const url = given.length === 0 ? process.env['HOLDFAST_URL'] || undefined : given[0];
  if (given.length === 0 && url === undefined)
    return (await import('./engines/sqlite/connect-sqlite.ts')).connectHere();
  const scheme = typeof url === 'string' ? /^[a-z][a-z0-9+-]*:/.exec(url)?.[0] : undefined;
  const open = scheme === undefined ? undefined : openers[scheme];
  if (open !== undefined) {
    refuseStore(given[1], scheme!);
    return open(url as string, (given[1] ?? {}) as never);
  }
  const { what, hint = '' } = problemWith(url, scheme);
  throw argumentTypeError(`connect: ${what}; known are ${Object.keys(openers).join(', ')}.${hint}`, {
    resource: 'connect',
    engine: scheme ?? 'unknown',
  });
}

/** The options of the factories that say where the store is. */
const STORES: readonly string[] = ['client', 'pool', 'file', 'servers', 'store'];

/** Refuses a client beside an address: `connect` opens connections of its own, and would leave the caller's without a word. */
function refuseStore(settings: unknown, scheme: string): void {
  const named = STORES.find((name) => typeof settings === 'object' && settings !== null && name in settings);
  if (named === undefined) return;
  throw argumentTypeError(
    `connect: there is no setting ${named}, because the address says where the store is. Leave ${named} out, or pass it to the factory of the engine in the place of an address, as in redis({ client }).`,
    { resource: 'connect', engine: scheme },
  );
}

/** Shows only the scheme: the address may contain a password. */
function problemWith(
  url: unknown,
  scheme: string | undefined,
): { readonly what: string; readonly hint?: string } {
  if (scheme !== undefined) {
    // "localhost:6379" looks like a scheme and a path.
    const isHost = /^[\w.-]+:\d+(?:\/|$)/.test(String(url));
    return {
      what: `there is no engine for ${JSON.stringify(scheme)}`,
      ...(isHost && { hint: ' Write the scheme of the store before the host, as in redis://host:6379.' }),
    };
  }
  if (url === undefined || url === null || url === '')
    return {
      what: `the address is ${url === '' ? 'empty' : String(url)}`,
      hint: ' If it comes from the environment, that variable is not set. Write connect() for the address in HOLDFAST_URL, or a file of this machine.',
    };
  if (typeof url === 'object')
    return { what: 'the address must be a string', hint: ' Write connect(url, settings).' };
  return { what: 'the address needs a scheme' };
}
