import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { memoized } from '../memoized.ts';
import type { Connection } from './connections.ts';

/** A script of Holdfast's, the very same text, with arguments that are made beforehand. */
export interface ScriptCall {
  readonly source: string;
  readonly command: readonly string[];
}

/** As many characters as an owner of Holdfast's has on the wire. */
export function ownerAt(turn: number): string {
  return `${'0123456789abcdef'.repeat(2)}:${(36 + turn).toString(36)}`;
}

const OWNER = ownerAt(0);
const LEASE_MS = '30000';
const WEEK_MS = String(7 * 24 * 60 * 60 * 1000);
/** A limit that is never reached. */
const NEVER = '9999999999999';

export function lockAcquireCall(name: string, owner = OWNER): ScriptCall {
  const keys = [name, `redisson_lock_token:{${name}}`, `holdfast_mark:{${name}}:${owner}`];
  return scriptCall('lock-acquire', keys, [owner, LEASE_MS, '1', NEVER, WEEK_MS]);
}

export function lockReleaseCall(name: string, owner = OWNER): ScriptCall {
  // Where nothing is marked, Holdfast names the lock twice.
  const keys = [name, name];
  return scriptCall('lock-release', keys, [owner, '0', 'PUBLISH', `redisson_lock__channel:{${name}}`]);
}

export function fairLockAcquireCall(name: string): ScriptCall {
  const keys = [name, `redisson_lock_token:{${name}}`, ...lineOf(name), `holdfast_mark:{${name}}:${OWNER}`];
  const channel = `redisson_lock__channel:{${name}}`;
  const times = [LEASE_MS, '300000', NEVER, WEEK_MS];
  const args = [OWNER, LEASE_MS, '1', '1', ...times, 'PUBLISH', channel, '1', '0'];
  return scriptCall('fair-lock-acquire', keys, args);
}

export function fairLockReleaseCall(name: string): ScriptCall {
  const keys = [name, `redisson_lock_token:{${name}}`, ...lineOf(name), `holdfast_mark:{${name}}:${OWNER}`];
  const channel = `redisson_lock__channel:{${name}}`;
  return scriptCall('fair-lock-release', keys, [OWNER, '0', WEEK_MS, 'PUBLISH', channel]);
}

/** A hash with one owner and an end: what Redisson takes for a lock, and no more. */
export function leastAcquireCall(name: string, owner = OWNER): ScriptCall {
  const source =
    "if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end " +
    "redis.call('HSET', KEYS[1], ARGV[1], 1) redis.call('PEXPIRE', KEYS[1], ARGV[2]) return 1";
  return callOf(source, [name], [owner, LEASE_MS]);
}

/** And the message that it waits for. */
export function leastReleaseCall(name: string, owner = OWNER): ScriptCall {
  const source =
    "if redis.call('HDEL', KEYS[1], ARGV[1]) == 0 then return 0 end redis.call('PUBLISH', ARGV[2], '0') return 1";
  return callOf(source, [name], [owner, `redisson_lock__channel:{${name}}`]);
}

/** Makes the scripts known to the server, so that EVALSHA finds them. */
export async function loadScripts({ send }: Connection, calls: readonly ScriptCall[]): Promise<void> {
  for (const { source } of calls) await send(['SCRIPT', 'LOAD', source]);
}

function lineOf(name: string): string[] {
  return [`redisson_lock_queue:{${name}}`, `redisson_lock_timeout:{${name}}`, `holdfast_lock_wait:{${name}}`];
}

const sourceOf = memoized((script) => {
  const root = new URL('.', import.meta.resolve('holdfast/package.json'));
  return readFileSync(new URL(`src/engines/redis/scripts/${script}.lua`, root), 'utf8');
});

const digestOf = memoized((source) => createHash('sha1').update(source).digest('hex'));

function scriptCall(script: string, keys: readonly string[], args: readonly string[]): ScriptCall {
  return callOf(sourceOf(script), keys, args);
}

function callOf(source: string, keys: readonly string[], args: readonly string[]): ScriptCall {
  return { source, command: ['EVALSHA', digestOf(source), String(keys.length), ...keys, ...args] };
}
