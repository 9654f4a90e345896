import type { Arguments } from '../../arguments.ts';
import { readDuration, showDuration } from '../../duration.ts';
import { EXIT } from '../../exit-codes.ts';
import { UsageError } from '../../usage-error.ts';

/** What to acquire. */
export type Wanted =
  | { readonly kind: 'lock' | 'fairLock' | 'readLock' | 'writeLock'; readonly names: readonly string[] }
  | {
      readonly kind: 'permits';
      readonly names: readonly string[];
      readonly permits: number;
      readonly of: number;
    };

/** How long to wait for it. */
export type RunWaitLimit =
  | { readonly kind: 'for-ever' }
  | { readonly kind: 'not-at-all' }
  | { readonly kind: 'at-most'; readonly ms: number };

/** What to run while it is held. */
export type Work =
  | { readonly kind: 'program'; readonly file: string; readonly args: readonly string[] }
  | { readonly kind: 'shell'; readonly line: string };

export interface RunRequest {
  readonly wanted: Wanted;
  readonly waitLimit: RunWaitLimit;
  readonly conflictExitCode: number;
  readonly leaseMs: number;
  readonly minHoldMs: number;
  /** How often to poll where the store sends no messages; the engine's usual interval without it. */
  readonly retryMs: number | undefined;
  readonly onLost: 'kill' | 'warn';
  readonly killAfterMs: number;
  readonly work: Work;
  readonly telling: 'usual' | 'verbose' | 'quiet' | 'json';
}

const USUAL_LEASE_MS = 30_000;
const USUAL_KILL_AFTER_MS = 5_000;
/** The library's bounds. */
const LEAST_LEASE_MS = 50;
const MOST_LEASE_MS = 365 * 24 * 60 * 60 * 1000;
const LEAST_RETRY_MS = 5;
const MOST_RETRY_MS = 600_000;

/**
 * The last part of a lease, in which the command is ended if renewals have failed until then. A third: renewals are due
 * every third of the lease, so a late answer still arrives before it.
 */
function endingMs(leaseMs: number): number {
  return Math.floor(leaseMs / 3);
}

type Given = Extract<Arguments, { kind: 'given' }>;

/** Reads the request of `run`; throws if it makes no sense. */
export function readRunRequest(given: Given): RunRequest {
  const { options } = given;
  const lease = options.get('lease');
  const leaseMs = lease === undefined ? USUAL_LEASE_MS : readDuration(lease, '--lease');
  if (leaseMs < LEAST_LEASE_MS || leaseMs > MOST_LEASE_MS)
    throw new UsageError('--lease must be between 50ms and 365d.');
  const minHold = options.get('min-hold');
  return {
    wanted: readWanted(given),
    waitLimit: readWaitLimit(given),
    conflictExitCode: readConflictExitCode(options.get('conflict-exit-code')),
    leaseMs,
    minHoldMs: minHold === undefined ? 0 : readDuration(minHold, '--min-hold'),
    retryMs: readRetry(options.get('retry')),
    onLost: options.get('on-lost') === 'warn' ? 'warn' : 'kill',
    killAfterMs: readKillAfter(options.get('kill-after'), leaseMs),
    work: readWork(given),
    telling: readTelling(given),
  };
}

function readWanted({ words, options }: Given): Wanted {
  if (words.length === 0)
    throw new UsageError(
      'run needs a name: holdfast run NAME -- COMMAND. What stands behind "--" is the command.',
    );
  if (new Set(words).size < words.length) throw new UsageError('run: the same name is given twice.');
  if (words.length > 1 && words.some((name) => name.includes('\n')))
    throw new UsageError('run: with several names, none may contain a line break.');
  const permits = options.get('permits');
  const ways = ['fair', 'shared', 'exclusive'].filter((way) => options.has(way));
  if (permits !== undefined) ways.push('permits');
  if (ways.length > 1)
    throw new UsageError(`run: --${ways.join(' and --')} do not go together; each is another kind of lock.`);
  if (permits !== undefined) return readPermits(permits, words);
  if (options.has('fair')) return { kind: 'fairLock', names: words };
  if (options.has('shared')) return { kind: 'readLock', names: words };
  if (options.has('exclusive')) return { kind: 'writeLock', names: words };
  return { kind: 'lock', names: words };
}

function readPermits(text: string, names: readonly string[]): Wanted {
  const [, taken, all] = /^(\d{1,9})\/(\d{1,9})$/.exec(text) ?? [];
  const permits = Number(taken);
  const of = Number(all);
  if (!(permits >= 1 && of >= permits))
    throw new UsageError(`--permits needs K/N, of which K is at least 1 and at most N, not "${text}".`);
  if (names.length > 1) throw new UsageError('run: --permits takes one name only.');
  return { kind: 'permits', names, permits, of };
}

function readWaitLimit({ options }: Given): RunWaitLimit {
  const wait = options.get('wait');
  if (options.has('no-wait')) {
    if (wait !== undefined) throw new UsageError('run: --no-wait and --wait do not go together.');
    return { kind: 'not-at-all' };
  }
  if (wait === undefined) return { kind: 'for-ever' };
  const ms = readDuration(wait, '--wait');
  return ms === 0 ? { kind: 'not-at-all' } : { kind: 'at-most', ms };
}

function readRetry(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = readDuration(text, '--retry');
  if (ms >= LEAST_RETRY_MS && ms <= MOST_RETRY_MS) return ms;
  throw new UsageError('--retry must be between 5ms and 10m.');
}

function readConflictExitCode(text: string | undefined): number {
  if (text === undefined) return EXIT.notAcquired;
  if (/^\d{1,3}$/.test(text) && Number(text) <= 255) return Number(text);
  throw new UsageError(`--conflict-exit-code must be a number from 0 to 255, not "${text}".`);
}

/**
 * The command must end before another owner can acquire, so the time it gets for that must fit into the last part of
 * the lease.
 */
function readKillAfter(text: string | undefined, leaseMs: number): number {
  const most = endingMs(leaseMs);
  if (text === undefined) return Math.min(USUAL_KILL_AFTER_MS, most);
  const killAfterMs = readDuration(text, '--kill-after');
  if (killAfterMs <= most) return killAfterMs;
  throw new UsageError(
    `--kill-after may be a third of the lease at most: ${showDuration(most)} of ${showDuration(leaseMs)}. Otherwise another holder could be in before the command is ended.`,
  );
}

function readWork({ command, options }: Given): Work {
  const line = options.get('shell');
  if (line !== undefined) {
    if (command !== undefined) throw new UsageError('run: -c takes the place of a command behind "--".');
    return { kind: 'shell', line };
  }
  const [file, ...args] = command ?? [];
  if (file === undefined || file === '')
    throw new UsageError('run needs a command behind "--": holdfast run NAME -- COMMAND.');
  return { kind: 'program', file, args };
}

function readTelling({ options }: Given): RunRequest['telling'] {
  if (options.has('json')) return 'json';
  if (options.has('quiet')) return 'quiet';
  return options.has('verbose') ? 'verbose' : 'usual';
}
