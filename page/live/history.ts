import type { ChangeFrame } from '../../src/dashboard/frames.ts';
import type { HowEnded } from '../../src/dashboard/hold-ends.ts';
import { holdKey } from '../../src/dashboard/hold-key.ts';
import { isKeptOwner } from '../../src/spi/kept-owner.ts';
import { type HolderRow, type HoldRows, rowKey, waitingOf } from './hold-rows.ts';

/** What happened to a lock while the page was open. */
export type Happening =
  | { readonly what: 'held'; readonly holder: HolderRow }
  /** Before its lease was over: by its holder, by force, or because the store has noticed that its process is gone. */
  | { readonly what: 'released'; readonly holder: HolderRow; readonly heldMs: number }
  /** Its lease was over: its process has ended, or does not answer, or took it for a fixed time. */
  | { readonly what: 'ran out'; readonly holder: HolderRow; readonly heldMs: number }
  /** Between two looks of the server, which do not tell how. */
  | { readonly what: 'ended'; readonly holder: HolderRow; readonly heldMs: number }
  /** What `minHoldMs` had left of a hold that was released is over: nothing was lost. */
  | { readonly what: 'kept time over'; readonly holder: HolderRow }
  /** This page has ended it by force. */
  | { readonly what: 'taken'; readonly holder: HolderRow; readonly heldMs: number }
  /** While the page had no connection: how is not known. */
  | { readonly what: 'gone'; readonly holder: HolderRow }
  | { readonly what: 'waiting'; readonly count: number };

export type HistoryEntry = Happening & { readonly at: number; readonly key: string };

interface Circumstances {
  readonly now: number;
  /** Whether frames are missing between the two states. */
  readonly isGap: boolean;
  /** The holds that this page has ended. */
  readonly taken: ReadonlySet<string>;
  /** As the frame says that led to the later state. */
  readonly ended: ChangeFrame['ended'];
}

/** What has happened between two states of all rows. */
export function happened(
  before: HoldRows,
  after: HoldRows,
  circumstances: Circumstances,
): readonly HistoryEntry[] {
  const { now, isGap, ended } = circumstances;
  const ways = new Map(ended.map(([id, at, how]) => [`${id} ${at}`, how]));
  const entries: HistoryEntry[] = [];
  const later = isGap ? new Map([...after.values()].map((row) => [rowKey(row), row])) : undefined;
  for (const [id, row] of before) {
    const next = later === undefined ? after.get(id) : later.get(rowKey(row));
    if (next === row) continue;
    const key = rowKey(row);
    const still = new Set(next?.holders.map(holdKey));
    for (const [at, holder] of row.holders.entries())
      if (!still.has(holdKey(holder)))
        entries.push({ at: now, key, ...ending(holder, circumstances, ways.get(`${id} ${at}`)) });
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

function ending(holder: HolderRow, { now, isGap, taken }: Circumstances, how?: HowEnded): Happening {
  const heldMs = now - holder.since;
  if (taken.has(holdKey(holder))) return { what: 'taken', holder, heldMs };
  if (isKeptOwner(holder.owner)) return { what: 'kept time over', holder };
  if (isGap) return { what: 'gone', holder };
  return { what: how ?? 'ended', holder, heldMs };
}
