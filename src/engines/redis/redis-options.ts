import { checkEngineOptions } from '../../kernels/engine-options.ts';
import type { EngineOptions } from '../../spi/synchronizers.ts';
import { argumentRangeError, argumentTypeError } from '../../spi/errors.ts';
import type { Replicas } from './requests/confirming.ts';
import type { PubSubOption } from './messages/pub-sub-mode.ts';
import type { RedisClientLike } from './redis-client.ts';

/** The options besides the client. */
export interface RedisSettings extends EngineOptions {
  /** Prepended to every name, as Redisson's name mapper would do. */
  readonly keyPrefix?: string;
  /** How long to wait for a reply before the command is sent again; after twice this time its outcome is unknown. Default: 3 seconds. */
  readonly commandTimeoutMs?: number;
  /** How messages travel in a cluster: as Redisson sends them there (`auto`), or `plain` or `sharded`. */
  readonly pubSub?: PubSubOption;
  /** A grant counts only when this many replicas have confirmed it. Default: off. */
  readonly replicas?: Replicas;
  /**
   * How long Redis keeps the last fence of a name after its last grant; `Infinity` is without limit. Default: 2 hours, and 7 days for
   * the states of elections and barriers.
   */
  readonly fenceRetentionMs?: number;
  /** The `fairLockWaitTimeout` of Redisson programs that share fair locks. Default: 5 minutes, as in Redisson. */
  readonly fairLockWaitMs?: number;
}

/** The options of `redis()`: your client, and the settings. */
export interface RedisOptions extends RedisSettings {
  /** Your client of node-redis 5 or newer, ioredis 5 or newer, or iovalkey: single, Sentinel or Cluster. It stays yours to close. */
  readonly client: RedisClientLike;
}

const REDIS_OPTIONS: readonly (keyof Omit<RedisOptions, keyof EngineOptions>)[] = [
  'client',
  'keyPrefix',
  'commandTimeoutMs',
  'pubSub',
  'replicas',
  'fenceRetentionMs',
  'fairLockWaitMs',
];

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const LONGEST_MS = 10 * 365 * DAY_MS;
const subject = { resource: 'redis()', engine: 'redis' };

/** The settings, with defaults filled in. */
export type CheckedSettings = Required<
  Pick<RedisSettings, 'keyPrefix' | 'commandTimeoutMs' | 'pubSub' | 'fairLockWaitMs'>
> & {
  readonly replicas: Replicas | undefined;
  /** 0 is without limit. */
  readonly fenceRetentionMs: number;
  /** The same for the states of cells, which say more than a fence: that a barrier is broken, for example. */
  readonly cellRetentionMs: number;
};

/** Refuses misspelt options, and options that are no object. */
export function checkOptions(options: unknown): void {
  checkEngineOptions(options, REDIS_OPTIONS, 'redis');
}

export function checkedSettings(options: RedisSettings): CheckedSettings {
  const { keyPrefix = '', pubSub = 'auto', replicas, fenceRetentionMs = 2 * HOUR_MS } = options;
  if (typeof keyPrefix !== 'string' || /\p{Cs}/u.test(keyPrefix) || keyPrefix.includes('\0')) {
    throw argumentTypeError('redis(): keyPrefix must be a string of well-formed text.', subject);
  }
  if (!['auto', 'plain', 'sharded'].includes(pubSub)) {
    throw argumentTypeError(`redis(): pubSub must be 'auto', 'plain' or 'sharded'.`, subject);
  }
  const commandTimeoutMs = milliseconds(options.commandTimeoutMs ?? 3000, 'commandTimeoutMs', 10, 600_000);
  return {
    keyPrefix,
    pubSub,
    commandTimeoutMs,
    fairLockWaitMs: milliseconds(options.fairLockWaitMs ?? 300_000, 'fairLockWaitMs', 1, LONGEST_MS),
    fenceRetentionMs: checkedRetention(fenceRetentionMs),
    cellRetentionMs: checkedRetention(options.fenceRetentionMs ?? 7 * DAY_MS),
    replicas: replicas === undefined ? undefined : checkedReplicas(replicas, commandTimeoutMs),
  };
}

function checkedRetention(retentionMs: number): number {
  return retentionMs === Infinity ? 0 : milliseconds(retentionMs, 'fenceRetentionMs', 1000, LONGEST_MS);
}

/** Limits the time of the replicas to half of a command's: they must answer before the command counts as lost. */
function checkedReplicas(replicas: Replicas, commandTimeoutMs: number): Replicas {
  if (typeof replicas !== 'object' || replicas === null) {
    throw argumentTypeError('redis(): replicas must be { atLeast, timeoutMs }.', subject);
  }
  return {
    atLeast: milliseconds(replicas.atLeast, 'replicas.atLeast', 1, 1000),
    timeoutMs: milliseconds(replicas.timeoutMs, 'replicas.timeoutMs', 1, Math.floor(commandTimeoutMs / 2)),
  };
}

function milliseconds(value: unknown, name: string, least: number, most: number): number {
  if (typeof value !== 'number' || Number.isNaN(value)) {
    throw argumentTypeError(`redis(): ${name} must be a number.`, subject);
  }
  if (!Number.isInteger(value) || value < least || value > most) {
    throw argumentRangeError(
      `redis(): ${name} must be a whole number from ${least} to ${most}, not ${value}.`,
      subject,
    );
  }
  return value;
}
