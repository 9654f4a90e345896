import type { Sighting } from '../../spi/engine/inspector.ts';
import { showDuration } from '../duration.ts';
import { type Column, table } from '../output/table.ts';
import { wordOf } from '../kind-words.ts';
import { showWaiting } from './show-waiting.ts';
import { shortOwner } from './sighting-json.ts';

const COLUMNS: readonly Column[] = [
  { title: 'KIND' },
  { title: 'NAME', shrinks: true },
  { title: 'HELD BY', shrinks: true },
  { title: 'FENCE', align: 'right' },
  { title: 'LEASE', align: 'right' },
  { title: 'WAITING', align: 'right' },
];

/** A row for each holder, and one for a name that is only waited for. */
export function sightingTable(seen: readonly Sighting[], width?: number): readonly string[] {
  return table(COLUMNS, seen.flatMap(rowsOf), width);
}

function rowsOf({ kind, name, holders, waiters }: Sighting): readonly (readonly string[])[] {
  const waiting = showWaiting(waiters);
  if (holders.length === 0) return [[wordOf(kind), printable(name), '-', '-', '-', waiting]];
  return holders.map(({ owner, side, count, fence, remainingMs, program }, at) => {
    const ways = [
      side,
      count > 1 ? `${count}x` : undefined,
      program === 'other' ? 'other program' : undefined,
    ];
    const how = ways.filter((way) => way !== undefined).join(', ');
    return [
      wordOf(kind),
      printable(name),
      `${printable(shortOwner(owner))}${how === '' ? '' : ` (${how})`}`,
      fence === undefined ? '-' : String(fence),
      Number.isFinite(remainingMs) ? showDuration(remainingMs) : '-',
      at === 0 ? waiting : '',
    ];
  });
}

/** Escapes control characters: a name may contain anything, and a terminal obeys some of it. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (letter) =>
    JSON.stringify(letter)
      .slice(1, -1)
      .replace(/^[^\\]$/u, '\ufffd'),
  );
}
