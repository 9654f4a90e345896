import type { HolderSighting, Sighting } from '../../spi/engine/inspector.ts';
import { holderName } from '../../spi/holder-name.ts';
import { showDuration } from '../duration.ts';
import { type Column, table } from '../output/table.ts';
import { wordOf } from '../kind-words.ts';
import { showWaiting } from './show-waiting.ts';

const COLUMNS: readonly Column[] = [
  { title: 'KIND' },
  { title: 'NAME', shrinks: true },
  { title: 'HELD BY', shrinks: true },
  { title: 'FENCE', align: 'right' },
  { title: 'LEASE', align: 'right' },
  { title: 'AGE', align: 'right' },
  { title: 'WAITING', align: 'right' },
];

/** A row for each holder, and one for a name that is only waited for. */
export function sightingTable(seen: readonly Sighting[], width?: number): readonly string[] {
  return table(COLUMNS, seen.flatMap(rowsOf), width);
}

function rowsOf({ kind, name, holders, waiters }: Sighting): readonly (readonly string[])[] {
  const waiting = showWaiting(waiters);
  if (holders.length === 0) return [[wordOf(kind), printable(name), '-', '-', '-', '-', waiting]];
  return holders.map((holder, at) => {
    const { fence, remainingMs, heldForMs } = holder;
    return [
      wordOf(kind),
      printable(name),
      heldBy(holder),
      fence === undefined ? '-' : String(fence),
      Number.isFinite(remainingMs) ? showDuration(remainingMs) : '-',
      heldForMs === undefined ? '-' : showDuration(heldForMs),
      at === 0 ? waiting : '',
    ];
  });
}

/** The name of the holder, and in which way it holds. */
function heldBy(holder: HolderSighting): string {
  const { side, count } = holder;
  const ways = [side, count > 1 ? `${count}x` : undefined].filter((way) => way !== undefined);
  return `${printable(holderName(holder))}${ways.length === 0 ? '' : `, ${ways.join(', ')}`}`;
}

/** Escapes control characters: a name may contain anything, and a terminal obeys some of it. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (letter) =>
    JSON.stringify(letter)
      .slice(1, -1)
      .replace(/^[^\\]$/u, '\ufffd'),
  );
}
