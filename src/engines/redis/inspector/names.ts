import { type Kind, KINDS } from '../../../spi/kinds.ts';
import { WAITERS_END } from './shapes.ts';

/** The kinds for which Redisson has a layout. */
const IN_REDISSONS_LAYOUT: ReadonlySet<Kind> = new Set<Kind>([
  'lock',
  'fairLock',
  'readWriteLock',
  'semaphore',
  'permitSemaphore',
  'latch',
]);
/** All other kinds are cells: one hash of this library each. */
const CELLS = (Object.keys(KINDS) as Kind[]).filter((kind) => !IN_REDISSONS_LAYOUT.has(kind));
const LATCH = 'redisson_countdownlatch__channel__';

/** The kinds that a channel reports on. Both semaphores of one name are one record; the first kind stands for both in a list. */
const CHANNELS: Readonly<Record<string, readonly Kind[]>> = {
  redisson_lock__channel: ['lock'],
  redisson_rwlock: ['readWriteLock'],
  redisson_sc: ['semaphore', 'permitSemaphore'],
  ...Object.fromEntries(CELLS.map((kind) => [`holdfast_${kind}__channel`, [kind]])),
};

/** Patterns of all channels of this library and of Redisson. */
export const CHANNEL_PATTERNS: readonly string[] = [
  ...Object.keys(CHANNELS).map((prefix) => `${prefix}:*`),
  `${LATCH}*`,
];

/** Patterns of the channels of waiters that no other key in Redis shows. */
export const AWAITED_PATTERNS: readonly string[] = [
  'redisson_lock__channel:*',
  'redisson_rwlock:*',
  'redisson_sc:*',
  `${LATCH}*`,
];

/** A key in Redis and its possible kinds. The key is not a name yet: it may have a prefix. */
export interface Traced {
  readonly kinds: readonly Kind[];
  readonly key: string;
}

/** The key of a companion, by Redisson's rule: a name without braces gets braces, a name with braces stays as it is. */
export function keyBehind(prefix: string, companion: string): string | undefined {
  if (!companion.startsWith(`${prefix}:`)) return undefined;
  return keyIn(companion.slice(prefix.length + 1));
}

/** The same for a companion with a suffix. */
export function keyBefore(suffix: string, companion: string): string | undefined {
  if (!companion.endsWith(`:${suffix}`)) return undefined;
  return keyIn(companion.slice(0, -suffix.length - 1));
}

/** Reads "{a}" as the name "a". It may also be the name itself, and Redis does not show which: a name that is only a tag is rarer. */
function keyIn(part: string): string | undefined {
  const inBraces = /^\{([^{]+)\}$/s.exec(part)?.[1];
  return inBraces ?? (part.includes('{') ? part : undefined);
}

/** The cell behind a key, if it is one. */
export function cellOf(key: string): Traced | undefined {
  for (const kind of CELLS) {
    const behind = keyBehind(`holdfast_${kind}`, key);
    if (behind !== undefined) return { kinds: [kind], key: behind };
  }
  return undefined;
}

/** The end of the channel of one client in the crowd of a plain lock. */
const CLIENT_END = /:[0-9a-f]{32}$/;

/** The channel of the lock, of which this may be the channel of one client in its crowd. */
export function withoutClient(channel: string): string {
  return channel.startsWith('redisson_lock__channel:') ? channel.replace(CLIENT_END, '') : channel;
}

/** What a channel reports on. */
export function toldOn(channel: string): Traced | undefined {
  if (channel.startsWith(LATCH)) {
    const key = /^\{(.+)\}$/s.exec(channel.slice(LATCH.length))?.[1];
    return key === undefined ? undefined : { kinds: ['latch'], key };
  }
  const waiters = channel.replace(WAITERS_END, '');
  const isWaiters = waiters !== channel && channel.startsWith('redisson_lock__channel:');
  for (const [prefix, kinds] of Object.entries(CHANNELS)) {
    const key = keyBehind(prefix, isWaiters ? waiters : withoutClient(channel));
    if (key !== undefined) return { kinds: isWaiters ? ['fairLock'] : kinds, key };
  }
  return undefined;
}
