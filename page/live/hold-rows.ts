import type { ChangeFrame, SentHolder, SentSighting } from '../../src/dashboard/frames.ts';
import { holdKey } from '../../src/dashboard/hold-key.ts';

/** A holder, with its times by the clock of this page. */
export interface HolderRow extends SentHolder {
  /** When its lease ends; null without an end. */
  readonly endsAt: number | null;
  /** Since when it has been held; at least since then if the store does not say. */
  readonly since: number;
  readonly isExactAge: boolean;
  /** The most that was ever left of its lease. */
  readonly longestMs: number;
}

/** A synchronizer, as the page keeps it. */
export interface HoldRow extends Omit<SentSighting, 'holders'> {
  readonly holders: readonly HolderRow[];
}

export type HoldRows = ReadonlyMap<number, HoldRow>;

/** The same synchronizer, also after the server has counted its rows anew. */
export function rowKey({ kind, name }: Pick<SentSighting, 'kind' | 'name'>): string {
  return `${kind}\n${name}`;
}

/** All rows, with what was known of their holds before. */
export function allRows(sent: readonly SentSighting[], before: HoldRows, now: number): HoldRows {
  const known = new Map([...before.values()].map((row) => [rowKey(row), row]));
  return new Map(sent.map((row) => [row.id, rowOf(row, known.get(rowKey(row)), now)]));
}

export function changedRows(frame: ChangeFrame, before: HoldRows, now: number): HoldRows {
  const next = new Map(before);
  for (const id of frame.gone) next.delete(id);
  for (const row of frame.rows) next.set(row.id, rowOf(row, before.get(row.id), now));
  for (const [id, leases] of frame.leases) {
    const row = next.get(id);
    if (row !== undefined) next.set(id, withLeases(row, leases, now));
  }
  return next;
}

function rowOf(sent: SentSighting, before: HoldRow | undefined, now: number): HoldRow {
  const known = new Map(before?.holders.map((holder) => [holdKey(holder), holder]));
  return {
    ...sent,
    holders: sent.holders.map((holder) => holderOf(holder, known.get(holdKey(holder)), now)),
  };
}

function holderOf(sent: SentHolder, before: HolderRow | undefined, now: number): HolderRow {
  const { remainingMs, heldForMs } = sent;
  return {
    ...sent,
    endsAt: remainingMs === null ? null : now + remainingMs,
    since: heldForMs === undefined ? (before?.since ?? now) : now - heldForMs,
    isExactAge: heldForMs !== undefined,
    longestMs: Math.max(before?.longestMs ?? 0, remainingMs ?? 0),
  };
}

function withLeases(row: HoldRow, leases: readonly (number | null)[], now: number): HoldRow {
  const holders = row.holders.map((holder, at) => {
    const remainingMs = leases[at] ?? null;
    const endsAt = remainingMs === null ? null : now + remainingMs;
    return { ...holder, endsAt, longestMs: Math.max(holder.longestMs, remainingMs ?? 0) };
  });
  return { ...row, holders };
}

/** How many wait, as far as the store knows: waiters of the fleet, or clients that listen. */
export function waitingOf({ waiters: { count, counts, clients = 0 } }: Pick<HoldRow, 'waiters'>): number {
  return counts === 'fleet' ? count : Math.max(count, clients);
}
