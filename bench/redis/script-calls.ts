import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Connection } from './connections.ts';

/** A script of Holdfast's, the very same text, with fixed arguments. */
export interface ScriptCall {
  readonly source: string;
  readonly command: readonly string[];
}

/** As many characters as an owner of Holdfast's has on the wire. */
const OWNER = `${'0123456789abcdef'.repeat(2)}:1a`;
const LEASE_MS = '30000';
const WEEK_MS = String(7 * 24 * 60 * 60 * 1000);
/** A limit that is never reached. */
const NEVER = '9999999999999';

export function lockAcquireCall(name: string): ScriptCall {
  const keys = [name, `redisson_lock_token:{${name}}`, `holdfast_mark:{${name}}:${OWNER}`];
  return scriptCall('lock-acquire', keys, [OWNER, LEASE_MS, '1', NEVER, WEEK_MS]);
}

export function lockReleaseCall(name: string): ScriptCall {
  // Where nothing is marked, Holdfast names the lock twice.
  const keys = [name, name];
  return scriptCall('lock-release', keys, [OWNER, '0', 'PUBLISH', `redisson_lock__channel:{${name}}`]);
}

export function fairLockAcquireCall(name: string): ScriptCall {
  const keys = [name, `redisson_lock_token:{${name}}`, ...lineOf(name), `holdfast_mark:{${name}}:${OWNER}`];
  const channel = `redisson_lock__channel:{${name}}`;
  const times = [LEASE_MS, '300000', NEVER, WEEK_MS];
  const args = [OWNER, LEASE_MS, '1', '1', ...times, 'PUBLISH', channel, '1'];
  return scriptCall('fair-lock-acquire', keys, args);
}

export function fairLockReleaseCall(name: string): ScriptCall {
  const keys = [name, `redisson_lock_token:{${name}}`, ...lineOf(name), `holdfast_mark:{${name}}:${OWNER}`];
  const channel = `redisson_lock__channel:{${name}}`;
  return scriptCall('fair-lock-release', keys, [OWNER, '0', WEEK_MS, 'PUBLISH', channel]);
}

/** A hash with one owner and an end: what Redisson takes for a lock, and no more. */
export function leastAcquireCall(name: string): ScriptCall {
  const source =
    "if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end " +
    "redis.call('HSET', KEYS[1], ARGV[1], 1) redis.call('PEXPIRE', KEYS[1], ARGV[2]) return 1";
  return callOf(source, [name], [OWNER, LEASE_MS]);
}

/** And the message that it waits for. */
export function leastReleaseCall(name: string): ScriptCall {
  const source =
    "if redis.call('HDEL', KEYS[1], ARGV[1]) == 0 then return 0 end redis.call('PUBLISH', ARGV[2], '0') return 1";
  return callOf(source, [name], [OWNER, `redisson_lock__channel:{${name}}`]);
}

/** Makes the scripts known to the server, so that EVALSHA finds them. */
export async function loadScripts({ send }: Connection, calls: readonly ScriptCall[]): Promise<void> {
  for (const { source } of calls) await send(['SCRIPT', 'LOAD', source]);
}

function lineOf(name: string): string[] {
  return [`redisson_lock_queue:{${name}}`, `redisson_lock_timeout:{${name}}`, `holdfast_lock_wait:{${name}}`];
}

function scriptCall(script: string, keys: readonly string[], args: readonly string[]): ScriptCall {
  const root = new URL('.', import.meta.resolve('holdfast/package.json'));
  return callOf(readFileSync(new URL(`src/engines/redis/scripts/${script}.lua`, root), 'utf8'), keys, args);
}

function callOf(source: string, keys: readonly string[], args: readonly string[]): ScriptCall {
  const digest = createHash('sha1').update(source).digest('hex');
  return { source, command: ['EVALSHA', digest, String(keys.length), ...keys, ...args] };
}
