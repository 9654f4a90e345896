/** How a hold has ended, where the looks at the store tell. */
export type HowEnded = 'released' | 'ran out';

/** When a look at the store began, and when its answer was there, by our clock. */
export interface Look {
  readonly begin: number;
  readonly end: number;
}

/** What the looks have seen of a lease. */
export interface SeenLease {
  /** When it ends, by our clock, as the last look says: at this time or earlier, by as much as that look took. Null without an end. */
  readonly endsAt: number | null;
  /** The most that was ever left of it. */
  readonly longestMs: number;
  readonly isRenewed: boolean;
}

/** A lease counts as renewed or cut when it ends so much later or earlier than it was said to: looks take a while themselves. */
export const MOVED_MS = 500;

/**
 * Which part of its lease a hold may have had left when it was last seen, for its end to count as that of its lease. What is renewed has about two
 * thirds at the least, as long as its holder lives.
 */
const LAST_PART = 1 / 10;
const LAST_PART_RENEWED = 1 / 2;

/** What is known of a lease after one more look, which saw `remainingMs`. */
export function seenLease(before: SeenLease | undefined, remainingMs: number | null, now: number): SeenLease {
  const endsAt = remainingMs === null ? null : now + remainingMs;
  const last = before?.endsAt ?? Infinity;
  return {
    endsAt,
    longestMs: Math.max(before?.longestMs ?? 0, remainingMs ?? 0),
    isRenewed: before?.isRenewed === true || (endsAt !== null && endsAt > last + MOVED_MS),
  };
}

/**
 * How a hold has ended that the look `last` saw, and the look `now` did not; undefined if that is not known. The race: a release comes between
 * two looks, and so does the end that the lease would have had. So the lease has run out for certain only if there was no time for a
 * release, and nearly so if there was hardly any.
 */
export function howEnded(
  { endsAt, longestMs, isRenewed }: SeenLease,
  last: Look,
  now: Look,
): HowEnded | undefined {
  if (endsAt === null) return undefined;
  if (endsAt - (last.end - last.begin) > now.end) return 'released';
  const isOver = endsAt <= now.end;
  const unseenMs = endsAt - last.begin;
  return isOver && unseenMs <= longestMs * (isRenewed ? LAST_PART_RENEWED : LAST_PART)
    ? 'ran out'
    : undefined;
}
