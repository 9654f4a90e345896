import { holderName, lastHolderName } from '../src/spi/holder-name.ts';
import type { HolderIdentity } from '../src/spi/api/client-card.ts';
import type { HistoryEntry } from './live/history.ts';
import type { HoldRow } from './live/hold-rows.ts';

const KINDS: Readonly<Record<string, string>> = {
  fairLock: 'fair lock',
  readWriteLock: 'read-write lock',
  permitSemaphore: 'permit semaphore',
};

export function kindText(kind: string): string {
  return KINDS[kind] ?? kind;
}

/** A name as text: what cannot be seen, or would turn the direction of the text, is written out. */
export function plain(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (letter) => `\\u${letter.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  );
}

export function holderText(holder: HolderIdentity & { readonly owner: string }): string {
  return plain(holderName(holder));
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const;

/** The two largest units: 2h 5m, 43s, 1.4s. */
export function duration(ms: number): string {
  if (ms < 10_000) return `${(Math.max(0, ms) / 1000).toFixed(1)}s`;
  const parts: string[] = [];
  let rest = Math.round(ms / 1000) * 1000;
  for (const [unit, size] of UNITS) {
    if (rest >= size || parts.length > 0) parts.push(`${Math.floor(rest / size)}${unit}`);
    rest %= size;
  }
  parts.push(`${rest / 1000}s`);
  return parts.slice(0, 2).join(' ');
}

export function waitingText({ waiters: { count, counts, clients } }: Pick<HoldRow, 'waiters'>): string {
  if (counts === 'fleet') return String(count);
  const most = Math.max(count, clients ?? 0);
  if (most === 0) return clients === undefined ? '?' : '0';
  return `${most} client${most === 1 ? '' : 's'}`;
}

export function happeningText(entry: HistoryEntry): string {
  switch (entry.what) {
    case 'held':
      return `held by ${holderText(entry.holder)}${fenceText(entry.holder.fence)}`;
    case 'released':
      return `released by ${holderText(entry.holder)} after ${duration(entry.heldMs)}`;
    case 'ran out':
      return `lease of ${holderText(entry.holder)} ran out after ${duration(entry.heldMs)}`;
    case 'ended':
      return `${holderText(entry.holder)} held it for about ${duration(entry.heldMs)}: released, or its lease ran out`;
    case 'kept time over':
      return `time that ${plain(lastHolderName(entry.holder))} kept is over`;
    case 'taken':
      return `taken from ${holderText(entry.holder)} on this page after ${duration(entry.heldMs)}`;
    case 'gone':
      return `${holderText(entry.holder)} ended it while this page was away`;
    case 'waiting':
      return entry.count === 0 ? 'no waiters' : `${entry.count} waiting`;
  }
}

function fenceText(fence: string | undefined): string {
  return fence === undefined ? '' : `, fence ${fence}`;
}
