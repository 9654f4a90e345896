import type { Holder } from '../../spi/api/hold.ts';
import { holderName, lastHolderName } from '../../spi/holder-name.ts';
import { isKeptOwner } from '../../spi/kept-owner.ts';

/** Who holds the thing that was not acquired, or which member of it: the words of a time-out. */
export function heldBy(holders: readonly Holder[], member?: string): string {
  const [first, ...others] = holders;
  if (first === undefined) return '';
  const what = member === undefined ? '' : `${member} is `;
  const { heldForMs, inThisProcess, owner, remainingMs } = first;
  if (isKeptOwner(owner))
    return `: ${what}released by ${lastHolderName(first)}, and kept by its minHoldMs for another ${shownAge(remainingMs)}`;
  const age = heldForMs === undefined ? '' : ` for ${shownAge(heldForMs)}`;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const name = inThisProcess === true ? 'this very process' : holderName(first);
  return `: ${what}held by ${name}${age}${more}`;
}

const OWN_OWNERS = 'Each acquire() is an owner of its own and waits for the others: to re-enter,';
const SAME_OWNER = 'or pass the same { owner } to both calls, of one engine object.';
const INSIDE_RUN = ` ${OWN_OWNERS} acquire inside lock.run(), ${SAME_OWNER}`;
const INSIDE_WRITE = ` ${OWN_OWNERS} acquire inside write.run(), ${SAME_OWNER} An owner that only reads never gets the write side.`;

/** Kinds whose owners do not re-enter: to advise it there sends the reader after another mistake. */
const WITHOUT_RE_ENTRY: ReadonlySet<string> = new Set([
  'semaphore',
  'permitSemaphore',
  'bareSemaphore',
  'election',
  'monitor',
]);

/** Said to an owner that waits behind its own process: how it would get in, where the kind lets owners re-enter. */
export function howToReenter(kind: string): string {
  if (WITHOUT_RE_ENTRY.has(kind)) return '';
  return kind === 'readLock' || kind === 'writeLock' ? INSIDE_WRITE : INSIDE_RUN;
}

/** With a unit of the size of the time: `12 s`. */
export function shownAge(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
}
