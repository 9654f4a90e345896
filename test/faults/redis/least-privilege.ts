/**
 * What a Redis user must be allowed, and nothing more, to use every synchronizer under one key prefix: words for
 * `ACL SETUSER`, after which only the name and the password are missing. Quoted in docs/engines/redis.md.
 */
export function leastPrivilege(keyPrefix: string): readonly string[] {
  return [
    'resetkeys',
    'resetchannels',
    '-@all',
    ...[...CONNECTION, ...IN_SCRIPTS].map((command) => `+${command}`),
    // Names with braces have no others put around them.
    ...KEYS.flatMap((key) => [`~${key}{${keyPrefix}*`, `~${key}${keyPrefix}*`]),
    ...CHANNELS.flatMap((channel) => [`&${channel}{${keyPrefix}*`, `&${channel}${keyPrefix}*`]),
  ];
}

/** Everything is decided by scripts; by the rest one is woken, and replicas confirm where they must. */
const CONNECTION: readonly string[] = ['evalsha', 'eval', 'subscribe', 'unsubscribe', 'wait'];

/** What the scripts call: permissions count inside of them, too. */
export const IN_SCRIPTS: readonly string[] = [
  'time',
  'exists',
  'get',
  'set',
  'del',
  'pttl',
  'pexpire',
  'persist',
  'incrby',
  'decrby',
  'hset',
  'hget',
  'hmget',
  'hgetall',
  'hkeys',
  'hlen',
  'hexists',
  'hdel',
  'lindex',
  'llen',
  'lpos',
  'lrange',
  'lrem',
  'ltrim',
  'rpush',
  'zadd',
  'zcard',
  'zmscore',
  'zpopmin',
  'zrange',
  'zrangebyscore',
  'zrem',
  'zremrangebyscore',
  'zscore',
  'publish',
];

/**
 * Good to have. Without the first a quorum cannot count the server, and no client is warned of eviction; without the second
 * a client that only watches is taken for a client that waits.
 */
export const OPTIONAL: readonly string[] = ['info', 'pubsub|numsub'];

/** What stands before a name, or before its braces. */
const KEYS: readonly string[] = [
  '',
  'redisson_lock_token:',
  'redisson_lock_queue:',
  'redisson_lock_timeout:',
  'holdfast_lock_crowd:',
  'holdfast_lock_wait:',
  'holdfast_lock_absent:',
  'holdfast_read_until:',
  'holdfast_mark:',
  'holdfast_latch_round:',
  'holdfast_promoted:',
  'holdfast_barrier:',
  'holdfast_election:',
  'holdfast_monitor:',
  'holdfast_client:',
];

const CHANNELS: readonly string[] = [
  'redisson_lock__channel:',
  'redisson_rwlock:',
  'redisson_sc:',
  'redisson_countdownlatch__channel__',
  'holdfast_barrier__channel:',
  'holdfast_election__channel:',
  'holdfast_monitor__channel:',
];
