import { clockFinding } from '../../../kernels/requests/clock-offset.ts';
import { inTime } from '../../../core/async/in-time.ts';
import { systemClock } from '../../../core/time/clock.ts';
import type { Finding } from '../../../spi/engine/finding.ts';
import type { RedisDriver, RedisNode } from '../driver.ts';
import { openRedis } from '../drivers/opening/open-redis.ts';
import { parseRedisAddress } from '../drivers/opening/redis-address.ts';
import { PubSubMode } from '../messages/pub-sub-mode.ts';
import { isForbidden, ruleForChannel } from '../requests/server-errors.ts';
import { isError } from '../../../spi/is-error.ts';

const TIMEOUT_MS = 3_000;
/** A name that no program uses. */
const PROBE = 'holdfast-doctor';
/** Has the form of a lock's channel, so that an ACL rule for those permits it. */
const PROBE_CHANNEL = `redisson_lock__channel:{${PROBE}}`;

/** Checks whether a Redis is fit for locks. Only asks, and changes nothing. */
export async function* checkUp(url: string): AsyncGenerator<Finding, void, undefined> {
  const driver = await openRedis(parseRedisAddress(url));
  try {
    const masters = await driver.findMasters();
    yield {
      level: 'good',
      about: 'reachable',
      found: `${driver.topology}, ${masters.length === 1 ? masters[0]!.id : `${masters.length} masters`}`,
    };
    for (const master of masters) yield* checkServer(master, driver.topology);
    yield await checkPubSub(driver);
    yield await checkMessages(driver);
    for (const finding of await checkPermissions(masters[0]!)) yield finding;
  } finally {
    await driver.close();
  }
}

async function* checkServer(
  server: RedisNode,
  topology: RedisDriver['topology'],
): AsyncGenerator<Finding, void, undefined> {
  const info = await readInfo(server);
  yield versionFinding(server, info);
  if (topology !== 'cluster' && info.get('cluster_enabled') === '1') yield clusterFinding(server);
  yield await clockFinding(systemClock, async () => {
    const [seconds, microseconds] = (await server.send(['TIME'])) as readonly string[];
    return Number(seconds) * 1000 + Number(microseconds) / 1000;
  });
  yield evictionFinding(server, info);
  yield persistenceFinding(info);
  yield replicationFinding(info);
}

/** Reads the sections one by one: an ACL may permit only some. */
async function readInfo(server: RedisNode): Promise<ReadonlyMap<string, string>> {
  const texts = await Promise.all(
    ['server', 'memory', 'persistence', 'replication', 'cluster'].map((section) =>
      server.send(['INFO', section]).catch(() => ''),
    ),
  );
  const lines = texts.flatMap((text) => String(text).split(/\r?\n/));
  return new Map(
    lines.flatMap((line) => {
      const [, name, value] = /^([a-z0-9_]+):(.*)$/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value] as const];
    }),
  );
}

function versionFinding({ id }: RedisNode, info: ReadonlyMap<string, string>): Finding {
  const about = 'version';
  const version = info.get('redis_version');
  if (version === undefined)
    return {
      level: 'note',
      about,
      found: `${id} does not say: INFO is not permitted`,
      advice: 'The scripts need Redis 7.0 or newer: check the version by other means.',
    };
  const valkey = info.get('valkey_version');
  const found = `${id} is ${valkey === undefined ? `Redis ${version}` : `Valkey ${valkey}, compatible with Redis ${version}`}`;
  if (Number(version.split('.')[0]) >= 7) return { level: 'good', about, found };
  return {
    level: 'bad',
    about,
    found,
    advice: 'Use 7.0 or newer: the scripts need it.',
  };
}

function clusterFinding({ id }: RedisNode): Finding {
  return {
    level: 'bad',
    about: 'cluster',
    found: `${id} is one server of a cluster: it redirects most names (MOVED), and a single client does not follow`,
    advice: 'Give the address as redis-cluster://, with some of its servers.',
  };
}

function evictionFinding({ id }: RedisNode, info: ReadonlyMap<string, string>): Finding {
  const about = 'eviction';
  const policy = info.get('maxmemory_policy');
  if (policy === undefined)
    return {
      level: 'note',
      about,
      found: 'cannot be seen: INFO is not permitted',
      advice: 'maxmemory-policy has to be noeviction.',
    };
  const limit = info.get('maxmemory') ?? '0';
  if (policy === 'noeviction')
    return { level: 'good', about, found: 'noeviction: the server never evicts a lock' };
  return {
    level: limit === '0' ? 'note' : 'bad',
    about,
    found: `${id} has maxmemory-policy ${policy} and ${limit === '0' ? 'no limit yet' : `a limit of ${limit} bytes`}: when its memory is full it evicts keys, and an evicted lock is free while its holder still works`,
    advice: 'CONFIG SET maxmemory-policy noeviction, or keep locks on a server of their own.',
  };
}

function persistenceFinding(info: ReadonlyMap<string, string>): Finding {
  const about = 'restart';
  const keeps = info.get('aof_enabled') === '1' ? 'an append-only file' : undefined;
  if (keeps !== undefined)
    return {
      level: 'good',
      about,
      found: `${keeps}: a restart keeps locks, except those of the last second if appendfsync is everysec`,
    };
  return {
    level: 'note',
    about,
    found: 'no append-only file: a restart loses all held locks',
    advice: 'Set appendonly yes if no second owner may acquire after a restart. Fences increase in any case.',
  };
}

function replicationFinding(info: ReadonlyMap<string, string>): Finding {
  const about = 'replication';
  const role = info.get('role');
  const replicas = Number(info.get('connected_slaves') ?? '0');
  if (role === 'slave')
    return {
      level: 'bad',
      about,
      found: 'this is a replica: it takes no writes',
      advice: 'Give the address of the master, or redis-sentinel://.',
    };
  if (replicas === 0)
    return { level: 'good', about, found: 'no replicas: no failover that could lose a lock' };
  return {
    level: 'note',
    about,
    found: `${replicas} replica${replicas === 1 ? '' : 's'}, which lag behind the master: a failover can lose a lock that was just granted`,
    advice: `connect(url, { replicas: { atLeast: ${replicas}, timeoutMs: 500 } }) counts a grant only when all have confirmed it; or refuse late writers by the fence.`,
  };
}

async function checkPubSub(driver: RedisDriver): Promise<Finding> {
  const mode = new PubSubMode({ driver, option: 'auto', clock: systemClock, timeoutMs: TIMEOUT_MS });
  const { subscribe } = await mode.get();
  const found =
    subscribe === 'shard'
      ? 'sharded channels, as Redisson uses them in a cluster'
      : 'plain channels, as Redisson uses them outside of a cluster';
  return { level: 'good', about: 'pub/sub', found };
}

/** Checks that a published message arrives: without messages waiters poll. */
async function checkMessages(driver: RedisDriver): Promise<Finding> {
  const about = 'messages';
  try {
    let heard: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => (heard = resolve));
    const subscriber = await driver.openSubscriber({ message: () => heard(), gap: () => undefined });
    const startedAt = systemClock.now();
    try {
      await subscriber.subscribe('channel', PROBE_CHANNEL);
      await driver.send(PROBE, ['PUBLISH', PROBE_CHANNEL, 'x']);
      await inTime(systemClock, arrived, TIMEOUT_MS);
      return { level: 'good', about, found: `arrive after ${(systemClock.now() - startedAt).toFixed(1)} ms` };
    } finally {
      await subscriber.close();
    }
  } catch (error) {
    return {
      level: 'bad',
      about,
      found: `do not arrive: ${messageOf(error)}`,
      advice: isForbidden(error)
        ? `${ruleForChannel(PROBE_CHANNEL)} Until then an acquisition that has to wait is refused.`
        : 'Check that published messages reach subscribers. Until then waiters poll.',
    };
  }
}

async function checkPermissions(server: RedisNode): Promise<readonly Finding[]> {
  const commands: Readonly<Record<string, readonly string[]>> = {
    scripts: ['EVAL', "return redis.call('TIME')", '0'],
    'listing keys': ['SCAN', '0', 'COUNT', '1', 'TYPE', 'hash'],
    'counting listeners': ['PUBSUB', 'NUMSUB', PROBE],
  };
  return Promise.all(
    Object.entries(commands).map(async ([what, command]): Promise<Finding> => {
      const about = 'permission';
      try {
        await server.send(command);
        return { level: 'good', about, found: what };
      } catch (error) {
        const isNeeded = what === 'scripts';
        return {
          level: isNeeded ? 'bad' : 'note',
          about,
          found: `${what}: ${messageOf(error)}`,
          advice: isNeeded
            ? 'Nothing works without scripts. docs/engines/redis.md lists the required permissions.'
            : `Only list, inspect and watch need ${command[0]}.`,
        };
      }
    }),
  );
}

function messageOf(error: unknown): string {
  return isError(error) ? error.message : String(error);
}
