import { type Kind, KINDS } from '../../../spi/kinds.ts';
import { WAITERS_END } from './shapes.ts';

/** The kinds that Redisson has a layout for. */
const IN_REDISSONS_LAYOUT: ReadonlySet<Kind> = new Set<Kind>([
  'lock',
  'fairLock',
  'readWriteLock',
  'semaphore',
  'permitSemaphore',
  'latch',
]);
/** All others are kept in cells: a hash of ours each. */
const CELLS = (Object.keys(KINDS) as Kind[]).filter((kind) => !IN_REDISSONS_LAYOUT.has(kind));
const LATCH = 'redisson_countdownlatch__channel__';

/** What a channel tells of. The semaphores of one name are one record; the first kind stands for both in a list. */
const CHANNELS: Readonly<Record<string, readonly Kind[]>> = {
  redisson_lock__channel: ['lock'],
  redisson_rwlock: ['readWriteLock'],
  redisson_sc: ['semaphore', 'permitSemaphore'],
  ...Object.fromEntries(CELLS.map((kind) => [`holdfast_${kind}__channel`, [kind]])),
};

/** Patterns of all channels on which something of ours, or of Redisson's, is told. */
export const CHANNEL_PATTERNS: readonly string[] = [
  ...Object.keys(CHANNELS).map((prefix) => `${prefix}:*`),
  `${LATCH}*`,
];

/** Those on which somebody who waits is told that it may be their turn, and that no place in Redis shows otherwise. */
export const AWAITED_PATTERNS: readonly string[] = [
  'redisson_lock__channel:*',
  'redisson_rwlock:*',
  'redisson_sc:*',
  `${LATCH}*`,
];

/** A key in Redis and the kinds that it can be: not a name yet, for it may have a prefix. */
export interface Traced {
  readonly kinds: readonly Kind[];
  readonly key: string;
}

/** Whose companion this is, by Redisson's rule: a name without braces stands in braces, one that has some by itself. */
export function keyBehind(prefix: string, companion: string): string | undefined {
  if (!companion.startsWith(`${prefix}:`)) return undefined;
  return keyIn(companion.slice(prefix.length + 1));
}

/** The same for a companion that has its word at the end. */
export function keyBefore(suffix: string, companion: string): string | undefined {
  if (!companion.endsWith(`:${suffix}`)) return undefined;
  return keyIn(companion.slice(0, -suffix.length - 1));
}

/** "{a}" may also be the name itself, and no look can tell: a name that is nothing but a tag is the rarer one. */
function keyIn(part: string): string | undefined {
  const inBraces = /^\{([^{]+)\}$/s.exec(part)?.[1];
  return inBraces ?? (part.includes('{') ? part : undefined);
}

/** Which cell a key is, if it is one. */
export function cellOf(key: string): Traced | undefined {
  for (const kind of CELLS) {
    const behind = keyBehind(`holdfast_${kind}`, key);
    if (behind !== undefined) return { kinds: [kind], key: behind };
  }
  return undefined;
}

/** What is told on a channel. */
export function toldOn(channel: string): Traced | undefined {
  if (channel.startsWith(LATCH)) {
    const key = /^\{(.+)\}$/s.exec(channel.slice(LATCH.length))?.[1];
    return key === undefined ? undefined : { kinds: ['latch'], key };
  }
  const waiters = channel.replace(WAITERS_END, '');
  const isWaiters = waiters !== channel && channel.startsWith('redisson_lock__channel:');
  for (const [prefix, kinds] of Object.entries(CHANNELS)) {
    const key = keyBehind(prefix, isWaiters ? waiters : channel);
    if (key !== undefined) return { kinds: isWaiters ? ['fairLock'] : kinds, key };
  }
  return undefined;
}
