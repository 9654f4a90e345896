import type { GivenArguments } from '../command.ts';
import { readDuration } from '../../duration.ts';
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
    }
  | { readonly kind: 'election'; readonly names: readonly string[]; readonly value: string };

/** How long to wait for it. */
export type RunWaitLimit =
  | { readonly kind: 'for-ever' }
  | { readonly kind: 'not-at-all' }
  | { readonly kind: 'at-most'; readonly ms: number };

/** What `run`, `hold` and `elect` have in common. */
export interface HoldRequest {
  readonly wanted: Wanted;
  readonly waitLimit: RunWaitLimit;
  readonly conflictExitCode: number;
  readonly leaseMs: number;
  /** How often to poll where the store sends no messages; the engine's usual interval without it. */
  readonly retryMs: number | undefined;
  /** How long to keep asking a store that does not answer. */
  readonly silenceMs: number;
  readonly telling: 'usual' | 'verbose' | 'quiet' | 'json';
}

const USUAL_LEASE_MS = 30_000;
/** The library's bounds. */
const LEAST_LEASE_MS = 50;
const MOST_LEASE_MS = 365 * 24 * 60 * 60 * 1000;
const LEAST_RETRY_MS = 5;
const MOST_RETRY_MS = 600_000;

/** Reads all of it but what is wanted; throws if it makes no sense. */
export function readTermsOfHold({ options }: GivenArguments, verb: string): Omit<HoldRequest, 'wanted'> {
  const lease = options.get('lease');
  const leaseMs = lease === undefined ? USUAL_LEASE_MS : readDuration(lease, '--lease');
  if (leaseMs < LEAST_LEASE_MS || leaseMs > MOST_LEASE_MS)
    throw new UsageError('--lease must be between 50ms and 365d.');
  return {
    waitLimit: readWaitLimit(options, verb),
    conflictExitCode: readConflictExitCode(options.get('conflict-exit-code')),
    leaseMs,
    retryMs: readRetry(options.get('retry')),
    silenceMs: leaseMs,
    telling: readTelling(options),
  };
}

/** Reads names, and the kind of lock that they have. */
export function readWanted({ words, options }: GivenArguments, verb: string): Wanted {
  if (new Set(words).size < words.length) throw new UsageError(`${verb}: the same name is given twice.`);
  if (words.length > 1 && words.some((name) => name.includes('\n')))
    throw new UsageError(`${verb}: with several names, none may contain a line break.`);
  const permits = options.get('permits');
  const ways = ['fair', 'shared', 'exclusive'].filter((way) => options.has(way));
  if (permits !== undefined) ways.push('permits');
  if (ways.length > 1)
    throw new UsageError(
      `${verb}: --${ways.join(' and --')} do not go together; each is another kind of lock.`,
    );
  if (permits !== undefined) return readPermits(permits, words, verb);
  if (options.has('fair')) return { kind: 'fairLock', names: words };
  if (options.has('shared')) return { kind: 'readLock', names: words };
  if (options.has('exclusive')) return { kind: 'writeLock', names: words };
  return { kind: 'lock', names: words };
}

function readPermits(text: string, names: readonly string[], verb: string): Wanted {
  const [, taken, all] = /^(\d{1,9})\/(\d{1,9})$/.exec(text) ?? [];
  const permits = Number(taken);
  const of = Number(all);
  if (!(permits >= 1 && of >= permits))
    throw new UsageError(`--permits needs K/N, of which K is at least 1 and at most N, not "${text}".`);
  if (names.length > 1) throw new UsageError(`${verb}: --permits takes one name only.`);
  return { kind: 'permits', names, permits, of };
}

function readWaitLimit(options: GivenArguments['options'], verb: string): RunWaitLimit {
  const wait = options.get('wait');
  if (options.has('no-wait')) {
    if (wait !== undefined) throw new UsageError(`${verb}: --no-wait and --wait do not go together.`);
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

function readTelling(options: GivenArguments['options']): HoldRequest['telling'] {
  if (options.has('json')) return 'json';
  if (options.has('quiet')) return 'quiet';
  return options.has('verbose') ? 'verbose' : 'usual';
}
