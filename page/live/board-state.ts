import { computed, signal } from '@preact/signals';
import type { ChangeFrame, WholeFrame } from '../../src/dashboard/frames.ts';
import { type Point, withPoint } from './curves.ts';
import { happened, type HistoryEntry } from './history.ts';
import { allRows, changedRows, type HoldRow, type HoldRows, rowKey, waitingOf } from './hold-rows.ts';
import { prefixesOf, selected, type Selection } from './selection.ts';

/** Of each lock, and of all of them together. */
const MOST_ENTRIES = 100;
const MOST_KEYS = 2_000;

export type Connection =
  | { readonly is: 'opening' | 'live' | 'away' | 'locked' }
  /** The server is there, and the store does not answer it. */
  | { readonly is: 'trouble'; readonly code: string };

export const connection = signal<Connection>({ is: 'opening' });
export const engine = signal('');
export const release = signal<WholeFrame['release']>('no');
export const rows = signal<HoldRows>(new Map());
/** The time of this page, once a second: what is left of the leases follows it. */
export const now = signal(performance.now());
export const selection = signal<Selection>({
  search: '',
  kind: '',
  prefix: '',
  sort: 'waiting',
  isDescending: true,
});
/** Which lock is open beside the list. */
export const openKey = signal<string | undefined>(undefined);
/** What a screen reader says next. */
export const announcement = signal('');
export const points = signal<readonly Point[]>([]);
export const losses = signal(0);
/** Counts the changes of the histories. */
const changes = signal(0);

const histories = new Map<string, readonly HistoryEntry[]>();
const taken = new Set<string>();
let hasRows = false;
let isGap = false;
let grantsSince = 0;
let lossesSince = 0;

export const shown = computed(() => selected(rows.value.values(), selection.value));
export const prefixes = computed(() => prefixesOf(rows.value.values()));
export const held = computed(() => countOf((row) => Number(row.holders.length > 0)));
export const waiting = computed(() => countOf(waitingOf));
export const openRow = computed(() => {
  const key = openKey.value;
  if (key === undefined) return undefined;
  for (const row of rows.value.values()) if (rowKey(row) === key) return row;
  return undefined;
});

function countOf(count: (row: HoldRow) => number): number {
  let sum = 0;
  for (const row of rows.value.values()) sum += count(row);
  return sum;
}

export function takeWhole(frame: WholeFrame): void {
  engine.value = frame.engine;
  release.value = frame.release;
  update(allRows(frame.rows, rows.value, performance.now()), { isGap: true, ended: [] });
  hasRows = true;
  isGap = false;
  connection.value = { is: 'live' };
}

export function takeChanges(frame: ChangeFrame): void {
  if (frame.rows.length + frame.gone.length + frame.leases.length > 0)
    update(changedRows(frame, rows.value, performance.now()), { isGap, ended: frame.ended });
  isGap = false;
  connection.value = { is: 'live' };
}

/** From now on, until the next frame, the page does not know what happens. */
export function takeTrouble(state: Connection): void {
  isGap = true;
  if (connection.value.is !== state.is || state.is === 'trouble') connection.value = state;
}

/** A hold that this page ends, or has not ended after all. */
export function noteTaken(key: string, isTaken: boolean): void {
  if (isTaken) taken.add(key);
  else taken.delete(key);
}

export function historyOf(key: string): readonly HistoryEntry[] {
  // Read, so that a component that shows it is drawn again.
  void changes.value;
  return histories.get(key) ?? [];
}

/** Once a second, whether or not something has changed. */
export function tick(): void {
  now.value = performance.now();
  if (!hasRows || connection.value.is !== 'live') return;
  // Not in whole seconds: of two of a timer that is late one second would have two points, and the next none.
  const at = Date.now() / 1000;
  const point = { at, held: held.value, waiting: waiting.value, grants: grantsSince, losses: lossesSince };
  grantsSince = 0;
  lossesSince = 0;
  points.value = withPoint(points.value, point);
}

function update(next: HoldRows, frame: { isGap: boolean; ended: ChangeFrame['ended'] }): void {
  // What is there at the beginning has not just happened.
  const entries = hasRows ? happened(rows.value, next, { now: performance.now(), taken, ...frame }) : [];
  for (const entry of entries) {
    if (entry.what === 'held') grantsSince += 1;
    if (entry.what === 'ran out') lossesSince += 1;
    const known = histories.get(entry.key) ?? [];
    histories.delete(entry.key);
    histories.set(entry.key, [...known.slice(-MOST_ENTRIES + 1), entry]);
  }
  for (const key of histories.keys()) {
    if (histories.size <= MOST_KEYS) break;
    if (key !== openKey.value) histories.delete(key);
  }
  losses.value += entries.filter(({ what }) => what === 'ran out').length;
  rows.value = next;
  now.value = performance.now();
  if (entries.length > 0) changes.value += 1;
}
