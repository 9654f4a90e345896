import { checkEngineOptions } from '../../kernels/engine-options.ts';
import type { EngineOptions } from '../../spi/synchronizers.ts';
import { argumentRangeError, argumentTypeError } from '../../spi/errors.ts';
import type { Replicas } from './requests/confirming.ts';
import type { PubSubOption } from './messages/pub-sub-mode.ts';

/** What can be set besides the client. */
export interface RedisSettings extends EngineOptions {
  /** Goes before every name, as Redisson's name mapper would put it there. */
  readonly keyPrefix?: string;
  /** How long an answer is waited for before the command is sent again; after twice this time its outcome is unknown. 3 seconds without it. */
  readonly commandTimeoutMs?: number;
  /** How messages travel in a cluster: what Redisson uses there (`auto`), or one of the two. */
  readonly pubSub?: PubSubOption;
  /** A grant counts only when so many replicas have confirmed it. Off without it. */
  readonly replicas?: Replicas;
  /** How long the last fence of a name is kept after its last grant: 7 days without it, `Infinity`: without end. */
  readonly fenceRetentionMs?: number;
  /** The `fairLockWaitTimeout` of Redisson programs that share fair locks: 5 minutes without it, as there. */
  readonly fairLockWaitMs?: number;
}

export interface RedisOptions extends RedisSettings {
  /** Your client of node-redis 5 or newer, or of ioredis 5 or newer: single, Sentinel or Cluster. It stays yours to close. */
  readonly client: unknown;
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

const DAY_MS = 24 * 60 * 60 * 1000;
const LONGEST_MS = 10 * 365 * DAY_MS;
const subject = { resource: 'redis()', engine: 'redis' };

/** The settings with what was left out filled in. */
export type CheckedSettings = Required<
  Pick<RedisSettings, 'keyPrefix' | 'commandTimeoutMs' | 'pubSub' | 'fairLockWaitMs'>
> & {
  readonly replicas: Replicas | undefined;
  /** 0: without end. */
  readonly fenceRetentionMs: number;
};

/** Refuses misspelt options, and options that are no object. */
export function checkOptions(options: unknown): void {
  checkEngineOptions(options, REDIS_OPTIONS, 'redis');
}

export function checkedSettings(options: RedisSettings): CheckedSettings {
  const { keyPrefix = '', pubSub = 'auto', replicas, fenceRetentionMs = 7 * DAY_MS } = options;
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
    fenceRetentionMs:
      fenceRetentionMs === Infinity
        ? 0
        : milliseconds(fenceRetentionMs, 'fenceRetentionMs', 1000, LONGEST_MS),
    replicas: replicas === undefined ? undefined : checkedReplicas(replicas, commandTimeoutMs),
  };
}

/** The replicas must have answered before the command itself is taken for lost. */
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
