import { isKeptOwner } from '../../src/spi/kept-owner.ts';
import { type HolderRow, holdKey, type HoldRows, rowKey, waitingOf } from './hold-rows.ts';

/** What happened to a lock while the page was open. */
export type Happening =
  | { readonly what: 'held'; readonly holder: HolderRow }
  /** Before its lease was over: by its holder, or by force. */
  | { readonly what: 'released'; readonly holder: HolderRow; readonly heldMs: number }
  /** Its lease was over: its process has ended, or does not answer, or took it for a fixed time. */
  | { readonly what: 'ran out'; readonly holder: HolderRow; readonly heldMs: number }
  /** What `minHoldMs` had left of a hold that was released is over: nothing was lost. */
  | { readonly what: 'kept time over'; readonly holder: HolderRow }
  /** This page has ended it by force. */
  | { readonly what: 'taken'; readonly holder: HolderRow; readonly heldMs: number }
  /** While the page had no connection: how is not known. */
  | { readonly what: 'gone'; readonly holder: HolderRow }
  | { readonly what: 'waiting'; readonly count: number };

export type HistoryEntry = Happening & { readonly at: number; readonly key: string };

/** A lease may be over before the server looks, and a look takes a moment. */
const SLACK_MS = 400;

/** What has happened between two states of all rows. `taken` has the holds that this page has ended. */
export function happened(
  before: HoldRows,
  after: HoldRows,
  {
    now,
    isGap,
    taken,
  }: { readonly now: number; readonly isGap: boolean; readonly taken: ReadonlySet<string> },
): readonly HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  const later = isGap ? new Map([...after.values()].map((row) => [rowKey(row), row])) : undefined;
  for (const [id, row] of before) {
    const next = later === undefined ? after.get(id) : later.get(rowKey(row));
    if (next === row) continue;
    const key = rowKey(row);
    const still = new Set(next?.holders.map(holdKey));
    for (const holder of row.holders)
      if (!still.has(holdKey(holder))) entries.push({ at: now, key, ...ending(holder, now, isGap, taken) });
  }
  const earlier = isGap ? new Map([...before.values()].map((row) => [rowKey(row), row])) : undefined;
  for (const [id, row] of after) {
    const last = earlier === undefined ? before.get(id) : earlier.get(rowKey(row));
    if (last === row) continue;
    const key = rowKey(row);
    const known = new Set(last?.holders.map(holdKey));
    for (const holder of row.holders)
      // What `minHoldMs` has left of a hold is no grant: no owner has it.
      if (!known.has(holdKey(holder)) && !isKeptOwner(holder.owner))
        entries.push({ at: now, key, what: 'held', holder });
    const count = waitingOf(row);
    if (count !== (last === undefined ? 0 : waitingOf(last)))
      entries.push({ at: now, key, what: 'waiting', count });
  }
  return entries;
}

function ending(holder: HolderRow, now: number, isGap: boolean, taken: ReadonlySet<string>): Happening {
  const heldMs = now - holder.since;
  if (taken.has(holdKey(holder))) return { what: 'taken', holder, heldMs };
  if (isKeptOwner(holder.owner)) return { what: 'kept time over', holder };
  if (isGap) return { what: 'gone', holder };
  const isOver = holder.endsAt !== null && holder.endsAt <= now + SLACK_MS;
  return { what: isOver ? 'ran out' : 'released', holder, heldMs };
}
