import type { Description, Sighting } from '../../spi/engine/inspector.ts';

/** For programs. A fence is a string, because it may exceed what a number holds; a lease without an end is null. */
export function sightingJson(seen: Sighting | Description): string {
  return JSON.stringify(seen, (_key, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    return value === Infinity ? null : value;
  });
}
