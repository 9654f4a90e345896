import type { HolderSighting, Sighting } from '../../../spi/engine/inspector.ts';
import { holderName } from '../../../spi/holder-name.ts';
import { showDuration } from '../../duration.ts';
import { wordOf } from '../../kind-words.ts';
import { showWaiting } from '../../queries/show-waiting.ts';
import { printable } from '../../queries/sighting-table.ts';
import { type Column, cut, table } from '../../output/table.ts';
import type { Ages } from './ages.ts';

const BAR = 10;
const COLUMNS: readonly Column[] = [
  { title: 'KIND' },
  { title: 'NAME', shrinks: true },
  { title: 'HELD BY', shrinks: true },
  { title: 'LEASE' },
  { title: 'AGE', align: 'right' },
  { title: 'WAITING', align: 'right' },
];

/** What to draw. */
export interface Scene {
  readonly engine: string;
  readonly prefix: string;
  readonly seen: readonly Sighting[];
  readonly ages: Ages;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly trouble: string | undefined;
}

/** The lines of one picture, for a terminal of so many columns and lines; without them, all of it. */
export function frame(scene: Scene, width = Infinity, height = Infinity): readonly string[] {
  const { seen, trouble } = scene;
  const rows = inOrder(seen).flatMap((sighting) => rowsOf(sighting, scene));
  // The title, the column heads, a line for what does not fit, and one for trouble.
  const room = Math.max(1, height - 4);
  const left = rows.length - room;
  const lines = [
    titleOf(scene),
    ...(rows.length === 0 ? ['nothing is held or waited for'] : table(COLUMNS, rows.slice(0, room), width)),
    ...(left > 0 ? [`… and ${left} more`] : []),
    ...(trouble === undefined ? [] : [trouble]),
  ];
  return lines.map((line) => (Number.isFinite(width) ? cut(line, width) : line));
}

function titleOf({ engine, prefix, seen }: Scene): string {
  const held = seen.filter(({ holders }) => holders.length > 0).length;
  const awaited = seen.filter(({ waiters }) => waiters.count + (waiters.clients ?? 0) > 0).length;
  const which = prefix === '' ? '' : ` "${printable(prefix)}…"`;
  return `holdfast watch${which} (${engine}): ${held} held, ${awaited} waited for`;
}

/** Names with the most waiters come first: the user looks for them. */
function inOrder(seen: readonly Sighting[]): readonly Sighting[] {
  const waiting = ({ waiters }: Sighting): number => waiters.count + (waiters.clients ?? 0);
  return seen.toSorted(
    (one, other) =>
      waiting(other) - waiting(one) || (one.name < other.name ? -1 : Number(one.name > other.name)),
  );
}

function rowsOf(sighting: Sighting, scene: Scene): readonly (readonly string[])[] {
  const { kind, name, holders, waiters } = sighting;
  const begins = [wordOf(kind), printable(name)];
  if (holders.length === 0) return [[...begins, '-', '', '', showWaiting(waiters)]];
  return holders.map((holder, at) => [
    ...begins,
    `${holder.side === undefined ? '' : `${holder.side} `}${printable(holderName(holder))}`,
    leaseOf(sighting, holder, scene.ages),
    ageOf(sighting, holder, scene),
    at === 0 ? showWaiting(waiters) : '',
  ]);
}

/** What is left of the lease, beside the most that was left since the first look. */
function leaseOf(sighting: Sighting, holder: HolderSighting, ages: Ages): string {
  const { remainingMs } = holder;
  if (!Number.isFinite(remainingMs)) return 'no end';
  const longestMs = ages.of(sighting, holder)?.longestMs ?? remainingMs;
  const full = Math.round((Math.min(remainingMs, longestMs) / Math.max(1, longestMs)) * BAR);
  return `${'█'.repeat(full)}${'░'.repeat(BAR - full)} ${showDuration(remainingMs)}`;
}

function ageOf(sighting: Sighting, holder: HolderSighting, { ages, now }: Scene): string {
  const age = ages.of(sighting, holder);
  if (age === undefined) return '';
  return `${age.isExact ? '' : '>'}${showDuration(Math.max(0, now - age.since))}`;
}
