import type {
  Description,
  HolderSighting,
  PlaceInLine,
  Sighting,
  WaitingLine,
} from '../../spi/engine/inspector.ts';

/**
 * For programs. A fence is a string, because it may exceed what a number holds; a lease without an end is null. Times are whole
 * milliseconds: more digits are those of the clock, and no store promises them. What users have published stays as it is.
 */
export function sightingJson(seen: Sighting | Description): string {
  const rounded = {
    ...seen,
    holders: seen.holders.map(roundedHolder),
    ...('line' in seen && { line: roundedLine(seen.line) }),
  };
  return JSON.stringify(rounded, (_key, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    return value === Infinity ? null : value;
  });
}

function roundedHolder(holder: HolderSighting): HolderSighting {
  const { remainingMs, heldForMs } = holder;
  return {
    ...holder,
    remainingMs: Math.round(remainingMs),
    ...(heldForMs !== undefined && { heldForMs: Math.round(heldForMs) }),
  };
}

function roundedLine(line: WaitingLine): WaitingLine {
  return line.order === 'unknown' ? line : { ...line, places: line.places.map(roundedPlace) };
}

function roundedPlace(place: PlaceInLine): PlaceInLine {
  const { lapsesInMs } = place;
  return { ...place, lapsesInMs: lapsesInMs === undefined ? undefined : Math.round(lapsesInMs) };
}
