import type { MysqlConnectSettings, MysqlSynchronizers } from './engines/mysql/index.ts';
import type { PostgresConnectSettings, PostgresSynchronizers } from './engines/postgres/index.ts';
import type { RedisSettings, RedisSynchronizers } from './engines/redis/index.ts';
import type { SqliteSettings, SqliteSynchronizers } from './engines/sqlite/index.ts';
import type { ZooKeeperSettings, ZooKeeperSynchronizers } from './engines/zookeeper/index.ts';
import { argumentTypeError } from './spi/errors.ts';
import type { EngineOptions, Lock, Synchronizers } from './spi/synchronizers.ts';

export * from './spi/errors.ts';
export type * from './spi/synchronizers.ts';
export type * from './spi/engine/inspector.ts';
export type { Traits } from './spi/engine/traits.ts';
export type { Clock, Random, Timer } from './spi/clock.ts';
export { multiLock } from './synchronizers/composed/multi-lock.ts';
export { quorumLock } from './synchronizers/composed/quorum-lock.ts';

type Open = (url: string, options: never) => Promise<Synchronizers<never, Lock>>;

const openRedis: Open = async (url, options) =>
  (await import('./engines/redis/connect-redis.ts')).connectRedis(url, options);

const openPostgres: Open = async (url, options) =>
  (await import('./engines/postgres/connect-postgres.ts')).connectPostgres(url, options);

const openMysql: Open = async (url, options) =>
  (await import('./engines/mysql/connect-mysql.ts')).connectMysql(url, options);

const openZooKeeper: Open = async (url, options) =>
  (await import('./engines/zookeeper/connect-zookeeper.ts')).connectZooKeeper(url, options);

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
  'zookeeper:': openZooKeeper,
  'zookeepers:': openZooKeeper,
};

/**
 * Opens an engine by its address.
 *
 * `memory:` is shared by all callers in this process that connect to the same address, as a server's address would be:
 * `memory:`, `memory:billing`. `sqlite:locks.db` and `sqlite:/var/lib/locks.db` are shared by the processes of this
 * machine. `postgres://user:password@host/database` needs the package `pg` or `postgres`, `mysql://…` needs `mysql2` or
 * `mariadb`. `redis://host:6379`, `redis-sentinel://host:26379,…/master-name` and
 * `redis-cluster://host:6379,…` open connections of their own, with TLS as `rediss:`; they need the package `redis` or
 * `ioredis`. `zookeeper://host:2181,…/chroot` and, with TLS, `zookeepers://…` need no package.
 *
 * An address that is only known at run time has the type of all nine synchronizers. ZooKeeper has no permit semaphore and no
 * `raiseFence`: they are missing there, and in the type of `connect('zookeeper://…')`.
 *
 * Without an address the one in `HOLDFAST_URL` is taken. If there is none, the locks are kept in a file of this user, and
 * a line on stderr says that they cover this machine only; with `HOLDFAST_REQUIRE_URL=1` that is an error.
 *
 * @example
 * ```ts
 * import { connect } from 'holdfast';
 *
 * await using locks = await connect('memory:');
 * await locks.lock('migration').run(() => console.log('alone'));
 * ```
 */
export function connect(url: `redis${string}`, options?: RedisSettings): Promise<RedisSynchronizers>;
export function connect(
  url: `postgres${string}`,
  options?: PostgresConnectSettings,
): Promise<PostgresSynchronizers>;
export function connect(
  url: `mysql:${string}` | `mariadb:${string}`,
  options?: MysqlConnectSettings,
): Promise<MysqlSynchronizers>;
export function connect(url: `sqlite:${string}`, options?: SqliteSettings): Promise<SqliteSynchronizers>;
export function connect(
  url: `zookeeper${string}`,
  options?: ZooKeeperSettings,
): Promise<ZooKeeperSynchronizers>;
export function connect(url?: string, options?: EngineOptions): Promise<Synchronizers>;
export async function connect(given?: string, options: object = {}): Promise<Synchronizers<never, Lock>> {
  const url = given === undefined ? process.env['HOLDFAST_URL'] : given;
  if (url === undefined || (given === undefined && url === '')) return connectWithoutAddress(options);
  const scheme = typeof url === 'string' ? /^[a-z][a-z0-9+-]*:/.exec(url)?.[0] : undefined;
  const open = scheme === undefined ? undefined : openers[scheme];
  if (open !== undefined) return open(url, options as never);
  // Shows only the scheme: the address may contain a password.
  throw argumentTypeError(
    `connect: ${scheme === undefined ? 'the address needs a scheme' : `there is no engine for ${JSON.stringify(scheme)}`}; known are ${Object.keys(openers).join(', ')}`,
    { resource: 'connect', engine: scheme ?? 'unknown' },
  );
}

async function connectWithoutAddress(options: object): Promise<Synchronizers> {
  if (process.env['HOLDFAST_REQUIRE_URL'] === '1')
    throw argumentTypeError(
      'connect: no address was given, and HOLDFAST_URL is not set. HOLDFAST_REQUIRE_URL forbids a file of this machine in its place.',
      { resource: 'connect', engine: 'unknown' },
    );
  return (await import('./engines/sqlite/connect-sqlite.ts')).connectHere(options);
}
