import type { Description, HolderSighting, Sighting } from '../../spi/engine/inspector.ts';

/** For programs. A fence is a string, because it may exceed what a number holds; a lease without an end is null. */
export function sightingJson(seen: Sighting | Description): string {
  return JSON.stringify(seen, (_key, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    return value === Infinity ? null : value;
  });
}

/** Short, and still distinct: of an id of ours, its first digits and its number. */
export function shortOwner(owner: HolderSighting['owner']): string {
  const [, client, rest] = /^([0-9a-f]{8})[0-9a-f-]{24,28}(:.+)?$/s.exec(owner) ?? [];
  return client === undefined ? owner : `${client}…${rest ?? ''}`;
}
