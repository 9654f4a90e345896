import type { Holder } from '../../spi/api/hold.ts';
import { holderName } from '../../spi/holder-name.ts';

/** Who holds the thing that was not acquired: the words of a time-out. */
export function heldBy(holders: readonly Holder[]): string {
  const [first, ...others] = holders;
  if (first === undefined) return '';
  const { heldForMs, inThisProcess } = first;
  const age = heldForMs === undefined ? '' : ` for ${shownAge(heldForMs)}`;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const name = inThisProcess === true ? 'this very process' : holderName(first);
  return `: held by ${name}${age}${more}`;
}

/** Said to an owner that waits behind its own process. */
export const RE_ENTRY =
  'Each acquire() is an owner of its own and waits for the others: to re-enter, acquire inside lock.run(), or pass the same { owner } to both calls, of one engine object.';

/** How an owner would get in that this process keeps out. */
export function howToReenter(holders: readonly Holder[]): string {
  return holders.some(({ inThisProcess }) => inThisProcess === true) ? ` ${RE_ENTRY}` : '';
}

/** With a unit of the size of the time: `12 s`. */
export function shownAge(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
}
